/// ISO media files: MP4, QuickTime, HEIC and AVIF.
///
/// Boxes of the allow list stay, metadata is cleaned, and other boxes become free space. In the
/// media data only the sound, the pictures and the cleaned metadata of items stay, so data tracks
/// and unreferenced bytes need no rules.
struct MovieCleaner {
  let file: Window
  let draft: Draft
  var depth = 0

  private static let firstTypes: Set<FourCC> = ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]

  static func isMovie(_ head: [UInt8]) -> Bool {
    guard head.count >= 8 else { return false }
    return firstTypes.contains(FourCC(head[4..<8].reduce(0) { $0 << 8 | Int($1) }))
  }

  private static let boxLimit = 65_536

  /// - Returns: The offset behind the last box.
  func clean() throws(Uncleanable) -> Int {
    guard depth <= Draft.depthLimit else { throw .tooComplex }
    var media: [Range<Int>] = []
    var movies: [Box] = []
    var metas: [Box] = []
    var offset = 0
    for count in 0... {
      guard count < Self.boxLimit else { throw .tooComplex }
      guard let box = try Box(in: file, at: offset) else { break }
      switch box.type {
      case "mdat": media.append(box.payload.range)
      case "ftyp" where !box.isCut: try checkBrand(box)
      case "moov" where !box.isCut: movies.append(box)
      case "meta" where !box.isCut: metas.append(box)
      case "mpvd" where !box.isCut:
        let film = MovieCleaner(file: box.payload, draft: draft, depth: depth + 1)
        let end = try film.clean()
        try draft.fill((box.payload.start + end)..<(box.payload.start + box.payload.count))
      case "pdin" where !box.isCut: break
      case "uuid" where !box.isCut: try cleanXMP(box)
      // Parts of a film behind its index.
      case "moof", "sidx", "styp", "mfra", "ssix", "prft", "ftyp", "moov", "meta": throw .unsupported
      default:
        // A trailer may look like a box that is too long.
        if box.isCut { return try finish(media, movies, metas, end: offset) }
        try draft.blank(box)
      }
      offset += box.whole.count
    }
    return try finish(media, movies, metas, end: offset)
  }

  private func finish(_ media: [Range<Int>], _ movies: [Box], _ metas: [Box], end: Int) throws(Uncleanable) -> Int {
    guard movies.count <= 1, metas.count <= 1, !(movies.isEmpty && metas.isEmpty) else { throw .damaged }
    let whole = Ranges.merged(media)
    var kept: [Range<Int>] = []
    for movie in movies {
      let samples = SampleCleaner(file: file, media: whole, draft: draft, depth: depth)
      kept += try TrackCleaner(samples: samples, draft: draft).clean(movie)
    }
    for meta in metas {
      let samples = Ranges.merged(kept)
      kept += try ItemCleaner(file: file, media: whole, samples: samples, draft: draft, depth: depth).clean(meta)
    }
    let ranges = Ranges.merged(kept)
    for part in whole { try draft.fillGaps(in: part, keeping: ranges) }
    return end
  }

  private static let xmp: [UInt8] = [
    0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
  ]

  private func cleanXMP(_ box: Box) throws(Uncleanable) {
    let isClean: Void? = draft.attempt { () throws(Uncleanable) in
      guard box.payload.starts(with: Self.xmp) else { throw .unsupported }
      try XMPCleaner(packet: box.content(Self.xmp.count), draft: draft).clean()
    }
    if isClean == nil { try draft.blank(box) }
  }

  /// Canon's raw files keep their pictures' parameters in maker notes.
  private func checkBrand(_ box: Box) throws(Uncleanable) {
    let brands = try box.payload.bytes(0, min(4, box.payload.count))
    if brands.elementsEqual("crx ".utf8) { throw .unsupported }
  }
}
