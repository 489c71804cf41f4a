/// A scanner for the digits and separators of a date.
struct DigitScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  /// Consumes a separator if it comes next.
  mutating func take(_ separator: Unicode.Scalar) -> Bool {
    guard let next = rest.first, UInt32(next) == separator.value else { return false }
    rest.removeFirst()
    return true
  }

  /// Consumes exactly `count` digits; nil if there are fewer.
  mutating func number(digits count: Int) -> Int? {
    let piece = rest.prefix(count)
    guard piece.count == count, piece.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    rest = rest.dropFirst(count)
    return piece.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Consumes the digits after a decimal point, as millionths; further digits are dropped.
  mutating func fraction() -> Int64? {
    let digits = rest.prefix { 0x30...0x39 ~= $0 }
    guard !digits.isEmpty else { return nil }
    rest = rest.dropFirst(digits.count)
    let six = Array(digits.prefix(6)) + Array(repeating: 0x30, count: max(0, 6 - digits.count))
    return six.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// Consumes `Z` or an offset such as `+02:00`, `-0530` or `+2`. The result is in minutes east of
  /// UTC, at most 18 hours.
  mutating func zone() -> Int? {
    if take("Z") || take("z") { return 0 }
    let isEast = take("+")
    guard isEast || take("-"), let hours = number(digits: 2) ?? number(digits: 1) else { return nil }
    let hasColon = take(":")
    let minutes = hasColon || !isAtEnd ? number(digits: 2) : 0
    guard let minutes, minutes < 60, hours * 60 + minutes <= 18 * 60 else { return nil }
    return (isEast ? 1 : -1) * (hours * 60 + minutes)
  }
}
