import Glibc

/// Checks a preview's structure before a browser gets it, without trusting the worker: a WebM with
/// pictures and sound and nothing else.
enum PreviewCheck {
  /// Whether the sealed file matches its announcement.
  static func isIntact(_ descriptor: Int32, _ byteCount: Int) -> Bool {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, Int(facts.st_size) == byteCount else { return false }
    guard let address = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0), address != MAP_FAILED else {
      return false
    }
    defer { munmap(address, byteCount) }
    return isPlain(UnsafeRawBufferPointer(start: address, count: byteCount))
  }

  private enum Element {
    static let header = 0x1a45_dfa3, documentType = 0x4282, segment = 0x1853_8067
    /// SeekHead, Void, Info, Tracks, Cues, Cluster; not Attachments, Chapters, Tags.
    static let allowed: Set<Int> = [0x114d_9b74, 0xec, 0x1549_a966, 0x1654_ae6b, 0x1c53_bb6b, 0x1f43_b675]
    static let tags = 0x1254_c367
    /// Enough for the tracks' durations, which the writer stores as tags.
    static let tagLimitBytes = 1_024
  }

  static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var at = 0
    guard let header = element(bytes, &at, bytes.count), header.name == Element.header, isWebM(bytes, header.content)
    else { return false }
    guard let segment = element(bytes, &at, bytes.count), segment.name == Element.segment, at == bytes.count else {
      return false
    }
    var inside = segment.content.lowerBound
    while inside < segment.content.upperBound {
      guard let child = element(bytes, &inside, segment.content.upperBound) else { return false }
      let isTag = child.name == Element.tags && child.content.count <= Element.tagLimitBytes
      guard isTag || Element.allowed.contains(child.name) else { return false }
    }
    return true
  }

  private static func isWebM(_ bytes: UnsafeRawBufferPointer, _ header: Range<Int>) -> Bool {
    var at = header.lowerBound
    while at < header.upperBound, let field = element(bytes, &at, header.upperBound) {
      if field.name == Element.documentType { return bytes[field.content].elementsEqual("webm".utf8) }
    }
    return false
  }

  /// Reads the element at `at` and moves behind it; nil if it does not end before `end`.
  private static func element(_ bytes: UnsafeRawBufferPointer, _ at: inout Int, _ end: Int) -> (
    name: Int, content: Range<Int>
  )? {
    guard let name = number(bytes, &at, end, keepsMark: true, limit: 4),
      let size = number(bytes, &at, end, keepsMark: false, limit: 8),
      size <= end - at
    else { return nil }
    let content = at..<at + size
    at += size
    return (name, content)
  }

  /// A number whose first byte tells its length; nil for an unknown size.
  private static func number(_ bytes: UnsafeRawBufferPointer, _ at: inout Int, _ end: Int, keepsMark: Bool, limit: Int)
    -> Int?
  {
    guard at < end else { return nil }
    let length = bytes[at].leadingZeroBitCount + 1
    guard length <= limit, length <= end - at else { return nil }
    var value = Int(keepsMark ? bytes[at] : bytes[at] & (0xff >> UInt8(length)))
    for next in 1..<max(1, length) { value = value << 8 | Int(bytes[at + next]) }
    at += length
    return value
  }
}
