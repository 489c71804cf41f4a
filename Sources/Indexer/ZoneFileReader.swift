/// Reads a file of the time zone database sequentially.
struct ZoneFileReader {
  /// The counts in the header of one part.
  struct Header {
    var version: UInt8
    var utcMarks, standardMarks, leapSeconds, times, types, characters: Int

    func byteCount(timeBytes: Int) -> Int { times * (timeBytes + 1) + types * 6 + rest(timeBytes: timeBytes) }

    /// The number of bytes after the types.
    func rest(timeBytes: Int) -> Int { characters + leapSeconds * (timeBytes + 4) + standardMarks + utcMarks }
  }

  private let file: [UInt8]
  private var position = 0

  init(_ file: [UInt8]) { self.file = file }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= file.count - position else { return nil }
    defer { position += count }
    return file[position..<position + count]
  }

  mutating func skip(_ count: Int) -> Bool { bytes(count) != nil }

  /// A signed big-endian number of 4 or 8 bytes.
  mutating func number(_ count: Int) -> Int64? {
    guard let bytes = bytes(count), let first = bytes.first else { return nil }
    return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
  }

  mutating func header() -> Header? {
    guard bytes(4).map({ $0.elementsEqual("TZif".utf8) }) ?? false, let version = bytes(1)?.first, skip(15) else {
      return nil
    }
    var counts: [Int] = []
    for _ in 0..<6 {
      guard let count = number(4), (0...Int64(file.count)).contains(count) else { return nil }
      counts.append(Int(count))
    }
    return Header(
      version: version, utcMarks: counts[0], standardMarks: counts[1], leapSeconds: counts[2], times: counts[3],
      types: counts[4],
      characters: counts[5])
  }

  /// The text between two line feeds.
  mutating func line() -> Substring? {
    guard bytes(1)?.first == 10, let end = file[position...].firstIndex(of: 10) else { return nil }
    defer { position = end + 1 }
    return String(validating: file[position..<end], as: UTF8.self).map { $0[...] }
  }
}
