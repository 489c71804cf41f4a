import Limits

extension JSONReader {
  /// Reads an integer.
  ///
  /// - Throws: `wrongType` for any other value, also for fractions and exponents;
  ///   `numberOutOfRange` beyond 64 bits.
  public mutating func readInteger() throws(VarlinkError) -> Int64 {
    skipSpace()
    let start = position
    let isNegative = current == UInt8(ascii: "-")
    if isNegative { position += 1 }
    guard isDigit(current) else {
      position = start
      throw unexpected(isDateText ? Self.integerOfDate : "an integer")
    }
    if current == UInt8(ascii: "0"), position + 1 < bytes.byteCount, isDigit(byte(at: position + 1)) {
      throw .syntax("a number with a leading zero", at: position)
    }
    var magnitude: UInt64 = 0
    var digits = 0
    while isDigit(current) {
      let digit = UInt64(current &- UInt8(ascii: "0"))
      digits += 1
      if digits <= 18 {
        magnitude = magnitude &* 10 &+ digit
      } else {
        let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.addingReportingOverflow(digit)
        if overflow || carry { throw .numberOutOfRange("a 64-bit integer", at: start) }
        magnitude = sum
      }
      position += 1
    }
    switch current {
    case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      throw .wrongType(expected: "an integer", at: start)
    default: break
    }
    if isNegative {
      if magnitude == UInt64(Int64.max) + 1 { return .min }
      if magnitude <= UInt64(Int64.max) { return -Int64(magnitude) }
    } else if magnitude <= UInt64(Int64.max) {
      return Int64(magnitude)
    }
    throw .numberOutOfRange("a 64-bit integer", at: start)
  }

  private static let integerOfDate: StaticString =
    "an integer, and a date is a number of microseconds since 1970-01-01T00:00:00Z"

  /// Whether the next value is a text that begins with a year and a hyphen.
  private var isDateText: Bool {
    guard current == UInt8(ascii: "\""), position + 5 < bytes.byteCount else { return false }
    return (1...4).allSatisfy { isDigit(byte(at: position + $0)) } && byte(at: position + 5) == UInt8(ascii: "-")
  }

  /// Reads a number.
  ///
  /// - Throws: `wrongType` for any other value; `numberOutOfRange` if it rounds to no finite
  ///   Double, like 1e400.
  public mutating func readDouble() throws(VarlinkError) -> Double {
    skipSpace()
    guard isDigit(current) || current == UInt8(ascii: "-") else { throw unexpected("a number") }
    return try double(of: scanNumber().range)
  }

  /// Skips a number and checks its grammar.
  mutating func scanNumber() throws(VarlinkError) -> (range: Range<Int>, isInteger: Bool) {
    let start = position
    var isInteger = true
    if current == UInt8(ascii: "-") { position += 1 }
    if current == UInt8(ascii: "0") {
      position += 1
      if isDigit(current) { throw .syntax("a number with a leading zero", at: start) }
    } else {
      try scanDigits()
    }
    if current == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      try scanDigits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      isInteger = false
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      try scanDigits()
    }
    if position - start > WireLimits.numberBytes {
      throw .limitExceeded("the length of a number in bytes", limit: WireLimits.numberBytes, at: start)
    }
    return (start..<position, isInteger)
  }

  func double(of range: Range<Int>) throws(VarlinkError) -> Double {
    // Unlike strtod, the standard library ignores the locale.
    let text = bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    guard let value = Double(text), value.isFinite else { throw .numberOutOfRange("a Double", at: range.lowerBound) }
    return value
  }

  private mutating func scanDigits() throws(VarlinkError) {
    guard isDigit(current) else { throw .syntax("a digit expected", at: position) }
    while isDigit(current) { position += 1 }
  }

  @inline(__always)
  func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
