/// A strict reader of one JSON object, sufficient for rclone's output.
struct PrintedJSON {
  enum Value: Equatable {
    case text(String)
    case integer(Int64)
    case flag(Bool)
    case list([Value])
    case object([String: Value])
    /// Null, or a number that is no `Int64`.
    case other
  }

  /// Maximum nesting.
  private static let depth = 8
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

  mutating func object(depth: Int = depth) -> [String: Value]? {
    var fields: [String: Value] = [:]
    guard depth > 0, take("{") else { return nil }
    if take("}") { return fields }
    repeat {
      guard let name = text(), take(":"), let value = value(depth) else { return nil }
      fields[name] = value
    } while take(",")
    return take("}") ? fields : nil
  }

  private mutating func value(_ depth: Int) -> Value? {
    skipSpace()
    guard place < bytes.count else { return nil }
    switch bytes[place] {
    case UInt8(ascii: "\""): return text().map { .text($0) }
    case UInt8(ascii: "{"): return object(depth: depth - 1).map { .object($0) }
    case UInt8(ascii: "["): return list(depth - 1).map { .list($0) }
    default: return word()
    }
  }

  private mutating func list(_ depth: Int) -> [Value]? {
    var values: [Value] = []
    guard depth > 0, take("[") else { return nil }
    if take("]") { return values }
    repeat {
      guard let value = value(depth) else { return nil }
      values.append(value)
    } while take(",")
    return take("]") ? values : nil
  }

  private mutating func word() -> Value? {
    let start = place
    while place < bytes.count, !",]} \t\r\n".utf8.contains(bytes[place]) { place += 1 }
    let word = String(decoding: bytes[start..<place], as: UTF8.self)
    switch word {
    case "true": return .flag(true)
    case "false": return .flag(false)
    case "null": return .other
    default: return Int64(word).map { .integer($0) } ?? (Double(word) == nil ? nil : .other)
    }
  }

  /// Rejects invalid escapes, lone surrogates and bytes that are not UTF-8.
  private mutating func text() -> String? {
    guard take("\"") else { return nil }
    var characters: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: characters, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        characters += Array(String(scalar).utf8)
      case 0..<0x20: return nil
      default: characters.append(byte)
      }
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    guard place < bytes.count else { return nil }
    let letter = bytes[place]
    place += 1
    switch letter {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
    case UInt8(ascii: "u"):
      guard let first = unit() else { return nil }
      guard (0xd800..<0xdc00).contains(first) else { return Unicode.Scalar(first) }
      guard place + 1 < bytes.count, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u") else {
        return nil
      }
      place += 2
      guard let second = unit(), (0xdc00..<0xe000).contains(second) else { return nil }
      return Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
    default: return nil
    }
  }

  private mutating func unit() -> UInt32? {
    guard place + 4 <= bytes.count else { return nil }
    defer { place += 4 }
    return UInt32(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
  }

  private mutating func take(_ character: Character) -> Bool {
    skipSpace()
    guard place < bytes.count, bytes[place] == character.asciiValue else { return false }
    place += 1
    return true
  }

  private mutating func skipSpace() {
    while place < bytes.count, " \t\r\n".utf8.contains(bytes[place]) { place += 1 }
  }
}
