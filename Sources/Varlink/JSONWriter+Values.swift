extension JSONWriter {
  /// Writes null.
  public mutating func writeNull() {
    separate()
    append(raw: "null")
    needsComma = true
  }

  /// Writes a boolean.
  public mutating func write(_ value: Bool) {
    separate()
    append(raw: value ? "true" : "false")
    needsComma = true
  }

  /// Writes an integer.
  public mutating func write(_ value: Int64) {
    let target = room(21)
    var offset = 0
    if needsComma {
      target[0] = UInt8(ascii: ",")
      offset = 1
    }
    if value < 0 {
      target[offset] = UInt8(ascii: "-")
      offset += 1
    }
    var rest = value.magnitude
    let digits = Self.digitCount(rest)
    var index = offset + digits
    repeat {
      index -= 1
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
      target[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: remainder)
      rest = quotient
    } while rest != 0
    advance(offset + digits)
    needsComma = true
  }

  private static func digitCount(_ value: UInt64) -> Int {
    var digits = 1
    var bound: UInt64 = 10
    while digits < 20, value >= bound {
      digits += 1
      if digits == 20 { break }
      bound &*= 10
    }
    return digits
  }

  /// Writes a number in the shortest form that reads back the same. JSON has no infinite numbers,
  /// so they become null.
  public mutating func write(_ value: Double) {
    guard value.isFinite else { return writeNull() }
    separate()
    var text = value.description
    text.withUTF8 { append(raw: UnsafeRawBufferPointer($0)) }
    needsComma = true
  }

  /// Writes a string.
  public mutating func write(_ value: String) {
    var text = value
    text.withUTF8 { write(utf8: $0) }
  }

  /// Writes a string from well-formed UTF-8.
  public mutating func write(utf8 text: UnsafeBufferPointer<UInt8>) {
    let escaped = JSONEscapes.length(of: text)
    let target = room(escaped + 3)
    var offset = 0
    if needsComma {
      target[0] = UInt8(ascii: ",")
      offset = 1
    }
    target[offset] = UInt8(ascii: "\"")
    needsComma = true
    let end = JSONEscapes.write(text, to: target + offset + 1)
    end[0] = UInt8(ascii: "\"")
    advance(end + 1 - target)
  }

  /// Writes bytes as a string in base64 (RFC 4648, section 4, with padding).
  public mutating func write(base64 value: UnsafeRawBufferPointer) {
    writeQuoted((value.count + 2) / 3 * 4) { target in
      var out = 0
      var index = 0
      while index < value.count {
        let left = value.count - index
        let group =
          UInt32(value[index]) << 16 | (left > 1 ? UInt32(value[index + 1]) << 8 : 0)
          | (left > 2 ? UInt32(value[index + 2]) : 0)
        target[out] = Self.base64Digit(group >> 18)
        target[out + 1] = Self.base64Digit(group >> 12)
        target[out + 2] = left > 1 ? Self.base64Digit(group >> 6) : UInt8(ascii: "=")
        target[out + 3] = left > 2 ? Self.base64Digit(group) : UInt8(ascii: "=")
        out += 4
        index += 3
      }
    }
  }

  @inline(__always)
  private mutating func writeQuoted(_ length: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
    separate()
    let target = room(length + 2)
    target[0] = UInt8(ascii: "\"")
    fill(target + 1)
    target[length + 1] = UInt8(ascii: "\"")
    advance(length + 2)
    needsComma = true
  }

  @inline(__always)
  static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &- 10 &+ value
  }

  @inline(__always)
  private static func base64Digit(_ bits: UInt32) -> UInt8 {
    switch UInt8(truncatingIfNeeded: bits & 63) {
    case let value where value < 26: UInt8(ascii: "A") &+ value
    case let value where value < 52: UInt8(ascii: "a") &- 26 &+ value
    case let value where value < 62: UInt8(ascii: "0") &- 52 &+ value
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }
}
