/// The bytes of a TIFF structure that stay. Ranges count from the file's
/// start.
struct TIFFResult {
  let draft: Draft
  let depth: Int
  /// Values of allowed tags and pictures.
  var kept: [Range<Int>]
  /// Rewritten directories.
  var directories: [Range<Int>] = []
  var hasPicture = false

  /// Overwrites all other bytes.
  ///
  /// - Parameter location: The bytes of the location's directory.
  func finish(_ data: Window, location: [Range<Int>]) throws(Uncleanable) {
    let kept = Ranges.merged(kept)
    let rewritten = directories.sorted { $0.lowerBound < $1.lowerBound }
    let location = location.map { ($0.lowerBound + data.start)..<($0.upperBound + data.start) }
    // Bytes with two meanings cannot be judged.
    for (one, next) in zip(rewritten, rewritten.dropFirst()) where one.overlaps(next) { throw .overlap }
    guard !Ranges.overlap(kept, rewritten), !Ranges.overlap(kept, Ranges.merged(location)) else { throw .overlap }
    try draft.fillGaps(in: data.range, keeping: kept + rewritten)
  }
}
