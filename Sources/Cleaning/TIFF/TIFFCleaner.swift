/// EXIF, MPF, and TIFF or DNG files.
///
/// Tags of the allow list stay. Each directory is rewritten in place without the others, and every
/// byte that no allowed tag uses becomes zero. So maker notes, forgotten directories and unknown
/// tags need no rules.
struct TIFFCleaner {
  enum Kind {
    case exif
    /// The list of further images in a JPEG, whose offsets lead outside.
    case images
    case file
  }

  let data: Window
  let draft: Draft
  let kind: Kind
  var depth = 0

  private static let directoryLimit = 128

  func clean() throws(Uncleanable) {
    guard depth <= Draft.depthLimit else { throw .tooComplex }
    let isLittle = data.starts(with: "II")
    guard isLittle || data.starts(with: "MM"), try data.number(2, 2, isLittle: isLittle) == 42 else { throw .damaged }
    // Raw files of Canon and Phase One.
    if kind == .file, ["CR", "IIII", "MMMM"].contains(where: { data.starts(with: $0, at: 8) }) { throw .unsupported }
    let reader = TIFFReader(data: data, isLittle: isLittle)
    var tree = TIFFTree(reader)
    try tree.collect(from: try data.number(4, 4, isLittle: isLittle), kind, Self.directoryLimit)

    var result = TIFFResult(draft: draft, depth: depth, kept: [data.start..<(data.start + 8)])
    let isDNG = tree.directories.contains { directory in directory.entries.contains { $0.tag == TIFFTag.dngVersion } }
    for directory in tree.directories {
      try TIFFDirectoryCleaner(reader: reader, directory: directory, kind: kind, isDNG: isDNG).clean(&result)
    }
    if kind == .file, !result.hasPicture { throw .unsupported }
    try result.finish(data, location: tree.location)
    // A picture that only unknown tags point to would be lost.
    let keptBytes = Ranges.merged(result.kept).reduce(0) { $0 + $1.count }
    if kind == .file, keptBytes < data.count / 2 { throw .unsupported }
  }
}
