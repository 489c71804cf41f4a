/// Reads values in D-Bus's form. What comes over the bus is a stranger's: every length is checked.
struct BusReader {
  private let bytes: [UInt8]
  private let isBigEndian: Bool
  private(set) var at: Int

  init(_ bytes: [UInt8], at: Int = 0, isBigEndian: Bool) {
    (self.bytes, self.at, self.isBigEndian) = (bytes, at, isBigEndian)
  }

  var isAtEnd: Bool { at >= bytes.count }

  mutating func align(_ size: Int) { at = (at + size - 1) / size * size }

  mutating func byte() throws(DesktopError) -> UInt8 {
    guard at < bytes.count else { throw Self.cut }
    defer { at += 1 }
    return bytes[at]
  }

  mutating func number() throws(DesktopError) -> UInt32 {
    align(4)
    guard at <= bytes.count - 4 else { throw Self.cut }
    defer { at += 4 }
    let four = bytes[at..<at + 4]
    return (isBigEndian ? Array(four) : four.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
  }

  mutating func text() throws(DesktopError) -> String { try text(length: Int(try number())) }

  mutating func signature() throws(DesktopError) -> String { try text(length: Int(try byte())) }

  private mutating func text(length: Int) throws(DesktopError) -> String {
    guard length <= bytes.count - at - 1, let text = String(validating: bytes[at..<at + length], as: UTF8.self) else {
      throw Self.cut
    }
    at += length + 1
    return text
  }

  static var cut: DesktopError { DesktopError(.badMessage, "A message of the session bus cannot be read.") }
}
