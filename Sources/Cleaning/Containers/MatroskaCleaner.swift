/// Matroska and WebM.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9559
struct MatroskaCleaner {
  let file: Window
  let draft: Draft

  private static let elementLimit = 1_000_000
  private static let segment = 0x1853_8067
  private static let tracks = 0x1654_ae6b
  private static let track = 0xae
  private static let trackType = 0x83
  private static let information = 0x1549_a966
  private static let title = 0x7ba9
  private static let cluster = 0x1f43_b675
  /// The index of places, the index of times, free space.
  private static let kept: Set<Int> = [0x114d_9b74, 0x1c53_bb6b, 0xec]
  /// Dates, duration, identifiers and programs of a segment.
  private static let keptInformation: Set<Int> = [
    0x2a_d7b1, 0x4489, 0x4461, 0x4d80, 0x5741, 0x73a4, 0x3cb9_23, 0x3eb9_23, 0x4444,
  ]
  /// The last cluster's content: its time, its blocks and their parts.
  private static let keptInCluster: Set<Int> = [0xe7, 0xa3, 0xa0, 0xab, 0xa7]

  private struct Element {
    let identifier: Int
    let whole: Window
    let payload: Window
  }

  func clean() throws(Uncleanable) {
    var hasSegment = false
    try forEach(in: file) { (element) throws(Uncleanable) in
      switch element.identifier {
      // The header of the file.
      case 0x1a45_dfa3: break
      case Self.segment:
        guard !hasSegment else { throw .unsupported }
        hasSegment = true
        try cleanSegment(element.payload)
      default: try blank(element)
      }
    }
    guard hasSegment else { throw .damaged }
  }

  private func cleanSegment(_ segment: Window) throws(Uncleanable) {
    try forEach(in: segment) { (element) throws(Uncleanable) in
      switch element.identifier {
      case Self.cluster: try cleanCluster(element.payload)
      case Self.information:
        try forEach(in: element.payload) { (item) throws(Uncleanable) in
          if Self.keptInformation.contains(item.identifier) { return }
          if item.identifier == Self.title, !draft.withheld.contains(.captions) {
            let text = try item.payload.all()
            if !PlaceHints.mayHoldPlace(text) { return }
          }
          try blank(item)
        }
      case Self.tracks:
        try forEach(in: element.payload) { (item) throws(Uncleanable) in
          if item.identifier == Self.track { try checkTrack(item.payload) } else { try blank(item) }
        }
      default: if !Self.kept.contains(element.identifier) { try blank(element) }
      }
    }
  }

  /// Refuses tracks other than picture and sound, whose samples are among theirs.
  private func checkTrack(_ track: Window) throws(Uncleanable) {
    var kind = 0
    try forEach(in: track) { (item) throws(Uncleanable) in
      switch item.identifier {
      case Self.trackType: kind = try item.payload.number(0, min(item.payload.count, 4))
      // The name, and the checksum of what changed.
      case 0x536e, 0xbf: try blank(item)
      case 0x86: try checkCodec(item.payload)
      default: break
      }
    }
    guard kind == 1 || kind == 2 else { throw .unsupported }
  }

  /// Codecs of pictures without messages of programs, and all codecs of sound.
  private func checkCodec(_ content: Window) throws(Uncleanable) {
    let name = String(decoding: try content.bytes(0, min(content.count, 64)).prefix { $0 != 0 }, as: UTF8.self)
    guard ["V_VP8", "V_VP9", "V_AV1"].contains(name) || name.hasPrefix("A_") else { throw .unsupported }
  }

  private func cleanCluster(_ cluster: Window) throws(Uncleanable) {
    try forEach(in: cluster) { (element) throws(Uncleanable) in
      if Self.keptInCluster.contains(element.identifier) {
        try draft.protect(element.whole.range)
      } else {
        try blank(element)
      }
    }
  }

  /// Passes the elements of a part. An element of unknown size ends with its parent.
  private func forEach(in parent: Window, _ body: (Element) throws(Uncleanable) -> Void) throws(Uncleanable) {
    var offset = 0
    for _ in 0..<Self.elementLimit {
      guard offset < parent.count else { return }
      let identifier = try number(parent, offset, keepsMarker: true)
      let size = try number(parent, offset + identifier.count, keepsMarker: false)
      let header = identifier.count + size.count
      guard let length = size.value else {
        // Only the segment of a stream; a cluster of unknown size has no visible end.
        guard identifier.value == Self.segment else { throw .unsupported }
        try body(Element(identifier: Self.segment, whole: parent.from(offset), payload: parent.from(offset + header)))
        return
      }
      guard length <= parent.count - offset - header else {
        // A truncated file ends inside a cluster.
        guard identifier.value == Self.cluster || identifier.value == Self.segment else { throw .damaged }
        throw .unsupported
      }
      try body(
        Element(
          identifier: identifier.value ?? 0, whole: parent.part(offset, header + length),
          payload: parent.part(offset + header, length)))
      offset += header + length
    }
    throw .tooComplex
  }

  /// A number of variable length. The value is nil if all its bits are set.
  private func number(
    _ parent: Window, _ offset: Int, keepsMarker: Bool
  ) throws(Uncleanable) -> (value: Int?, count: Int) {
    let first = Int(try parent.byte(offset))
    let count = first.leadingZeroBitCount - (Int.bitWidth - 8) + 1
    guard first != 0, count <= (keepsMarker ? 4 : 8) else { throw .damaged }
    let marker = 0x80 >> (count - 1)
    var value = keepsMarker ? first : first & ~marker
    for byte in try parent.bytes(offset + 1, count - 1) { value = value << 8 | Int(byte) }
    let isUnknown = !keepsMarker && value == 1 << (7 * count) - 1
    return (isUnknown ? nil : value, count)
  }

  /// Turns an element into free space.
  private func blank(_ element: Element) throws(Uncleanable) {
    let whole = element.whole
    // The identifier has one byte; the size takes the rest of the old header.
    let sizeBytes = min(8, whole.count - element.payload.count - 1)
    guard sizeBytes >= 1 else { throw .damaged }
    let length = whole.count - 1 - sizeBytes
    let size = length | 1 << (7 * sizeBytes)
    let header = [0xec] + (0..<sizeBytes).map { UInt8(truncatingIfNeeded: size >> (8 * (sizeBytes - 1 - $0))) }
    try draft.write(header, at: whole.start)
    try draft.fill((whole.start + 1 + sizeBytes)..<(whole.start + whole.count))
  }
}
