/// A JPEG from its first byte to its end marker.
///
/// Segments that decoders need stay. Of the others, those with rules are cleaned, and the rest is
/// overwritten.
struct JPEGCleaner {
  let image: Window
  let draft: Draft
  var depth = 0

  private static let segmentLimit = 100_000

  /// - Returns: The offset behind the end marker.
  /// - Throws: `damaged` if that marker is missing, because a text may then follow the picture.
  func clean() throws(Uncleanable) -> Int {
    guard depth <= Draft.depthLimit, image.starts(with: [0xff, 0xd8]) else { throw .damaged }
    var position = 2
    var hasPicture = false
    for _ in 0..<Self.segmentLimit {
      guard let marker = try nextMarker(from: position) else { throw .damaged }
      // Decoders skip bytes before a marker, other readers may not.
      try draft.fill(absolute(position..<marker.fillBytes))
      position = marker.end
      switch marker.code {
      case 0xd9:
        guard hasPicture else { throw .damaged }
        return position
      case 0x01, 0xd0...0xd7: continue
      default: break
      }
      let length = try image.number(position, 2)
      guard length >= 2 else { throw .damaged }
      let payload = try image.part(position + 2, length - 2)
      switch marker.code {
      case 0xda:
        let scan = position + length
        position = try endOfScan(from: scan)
        try draft.protect(absolute(scan..<position))
        hasPicture = true
        continue
      // Frames, tables and restart intervals.
      case 0xc0...0xc7, 0xc9...0xcf, 0xdb...0xdf: break
      case 0xe0...0xef: try APPSegment(payload: payload, draft: draft, depth: depth).clean(marker.code)
      case 0xfe: try cleanComment(payload, codeAt: position - 1)
      default: throw .unsupported
      }
      position += length
    }
    throw .tooComplex
  }

  private struct Marker {
    /// The offset of the first byte 0xFF before the code.
    let fillBytes: Int
    let code: UInt8
    /// The offset behind the code.
    let end: Int
  }

  /// The next marker as libjpeg finds it.
  private func nextMarker(from start: Int) throws(Uncleanable) -> Marker? {
    var position = start
    // Coded data has 0xFF 0x00 every few hundred bytes.
    while let first = try image.find(0xff, notBefore: 0, from: position) {
      var code = first + 1
      while code < image.count, try image.byte(code) == 0xff { code += 1 }
      guard code < image.count else { return nil }
      let value = try image.byte(code)
      if value != 0 { return Marker(fillBytes: first, code: value, end: code + 1) }
      position = code + 1
    }
    return nil
  }

  /// The offset of the marker that ends coded data.
  private func endOfScan(from start: Int) throws(Uncleanable) -> Int {
    var position = start
    while let marker = try nextMarker(from: position) {
      guard (0xd0...0xd7).contains(marker.code) else { return marker.fillBytes }
      position = marker.end
    }
    return image.count
  }

  private func cleanComment(_ payload: Window, codeAt position: Int) throws(Uncleanable) {
    let text = try payload.all()
    guard draft.withheld.contains(.captions) || PlaceHints.mayHoldPlace(text) else { return }
    // An application segment, so that readers show no empty comment.
    try draft.write([0xef], at: image.start + position)
    try draft.fill(payload.range)
  }

  private func absolute(_ range: Range<Int>) -> Range<Int> {
    (image.start + range.lowerBound)..<(image.start + range.upperBound)
  }
}
