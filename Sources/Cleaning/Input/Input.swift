import Glibc

/// A source with a buffer for many small reads.
final class Input {
  private let source: any ByteSource
  let count: Int
  private var page: [UInt8] = []
  private var pageStart = 0
  private var examined = 0
  private var claimed = 0

  /// Small, because a film's samples are looked at one by one.
  private static let pageBytes = 4_096
  /// The largest block that is read at once.
  static let blockLimitBytes = 64 << 20

  /// Whether so many bytes were read again and again that reading stopped.
  var isExhausted: Bool { examined / 4 - (16 << 20) > count }

  init(_ source: any ByteSource) {
    self.source = source
    count = source.byteCount
  }

  /// Counts the bytes of a sample, strip or item before its cleaning. Twice the file's size allows
  /// for a picture in a picture, and for a still that a film repeats.
  func claim(_ count: Int) throws(Uncleanable) {
    claimed += count
    guard claimed / 2 <= self.count else { throw .overlap }
  }

  /// Reads bytes of a range inside the file.
  func bytes(_ offset: Int, _ count: Int) throws(Uncleanable) -> [UInt8] {
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else { throw .damaged }
    guard count <= Self.blockLimitBytes else { throw .tooComplex }
    if count > Self.pageBytes / 2 { return try read(offset, count) }
    examined += count
    if offset < pageStart || offset + count > pageStart + page.count {
      page = try read(offset, min(Self.pageBytes, self.count - offset))
      pageStart = offset
    }
    return Array(page[(offset - pageStart)..<(offset - pageStart + count)])
  }

  private func read(_ offset: Int, _ count: Int) throws(Uncleanable) -> [UInt8] {
    examined += count
    guard !isExhausted else { throw .tooComplex }
    var isRead = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      isRead = source.read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
      initialized = isRead ? count : 0
    }
    guard isRead else { throw .unreadable }
    return bytes
  }

  /// Below the size from which malloc maps each buffer anew.
  private static let scanBytes = 64 << 10

  /// The offset of the next byte with this value in a range, unless `follower` stands behind it; nil
  /// if there is none. Where two reads meet, it may be found before its follower too.
  func find(_ byte: UInt8, notBefore follower: UInt8, in range: Range<Int>) throws(Uncleanable) -> Int? {
    var position = range.lowerBound
    while position < range.upperBound {
      // The buffer serves the many short distances inside a picture's coded data.
      if position < pageStart || position >= pageStart + page.count {
        let wanted = max(Self.pageBytes, min(Self.scanBytes, range.upperBound - position))
        page = try read(position, min(wanted, count - position))
        pageStart = position
      }
      let end = min(range.upperBound, pageStart + page.count)
      if let found = page.withUnsafeBytes({
        Self.find(byte, notBefore: follower, in: $0, from: position - pageStart, to: end - pageStart)
      }) {
        return pageStart + found
      }
      position = end
    }
    return nil
  }

  private static func find(
    _ byte: UInt8, notBefore follower: UInt8, in page: UnsafeRawBufferPointer, from start: Int, to end: Int
  ) -> Int? {
    guard let base = page.baseAddress else { return nil }
    var position = start
    while position < end, let hit = memchr(base + position, Int32(byte), end - position) {
      let found = UnsafeRawPointer(hit) - base
      guard found + 1 < end, page[found + 1] == follower else { return found }
      position = found + 2
    }
    return nil
  }
}
