import Glibc

/// The date in a file's name, as cameras, phones and chat programs write it: `IMG_20190102_031105`,
/// `IMG-20190102-WA0001`, `2011-07-19 11.36.39`, `Screen Shot 2019-01-02 at 3.11.05 PM`,
/// `FB_IMG_1546398665123`. A day without a time is its first instant.
struct FileNameDate: Equatable {
  /// Seconds since 1970 as if the local date and time were UTC.
  private(set) var localSeconds: Int64 = 0
  /// Whether the name counts in UTC, as Pixel phones do and milliseconds since 1970.
  private(set) var isUTC = false

  init?(_ name: String) {
    let bytes = Array(name.utf8.prefix(255))
    for start in bytes.indices where start == 0 || !Self.isDigit(bytes[start - 1]) {
      guard let seconds = Self.seconds(bytes[start...]) else { continue }
      localSeconds = seconds
      isUTC = bytes[..<start].suffix(4).elementsEqual("PXL_".utf8)
      return
    }
    guard let milliseconds = Self.milliseconds(bytes) else { return nil }
    localSeconds = milliseconds / 1_000
    isUTC = true
  }

  /// Android's and Facebook's 13 digits, a time from 2001 on. Longer names have more numbers, which
  /// are identifiers.
  private static func milliseconds(_ name: [UInt8]) -> Int64? {
    let digits = name.drop { !isDigit($0) }.prefix(while: isDigit)
    guard digits.count == 13, digits.first != UInt8(ascii: "0"),
      name[digits.endIndex...].first.map({ ". (".utf8.contains($0) }) ?? true
    else { return nil }
    return Int64(String(decoding: digits, as: UTF8.self))
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
    var rest = text
    guard let year = number(4, &rest) else { return nil }
    let separator = oneOf("-._", &rest)
    // Digits without separators are often a counter, so these must be of a year with such cameras.
    guard year >= (separator == nil ? 1990 : 1826), let month = number(2, &rest),
      separator == nil || oneOf("-._", &rest) == separator, let day = number(2, &rest),
      let date = moment(year, month, day)
    else { return nil }
    let isAdjacent = rest.first.map(isDigit) ?? false
    if isAdjacent, separator != nil || ![6, 9].contains(rest.prefix(while: isDigit).count) { return nil }
    return time(rest).flatMap { moment(year, month, day, $0.hour, $0.minute, $0.second) } ?? (isAdjacent ? nil : date)
  }

  /// Words between day and time in the names of screenshots. macOS may write an accent as a character
  /// of its own.
  private static let words = [
    "at ", "at_", "um ", "kl. ", "kello ", "om ", "o ", "v ", "в ", "à ", "às ", "a\u{300} ", "a\u{300}s ", "a las ",
    "a la(s) ", "alle ",
  ]

  /// `031105`, `031105123`, `03.11.05` or `3.11.05 PM`, behind separators or the word of a language.
  private static func time(_ text: ArraySlice<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
    var rest = text
    skip(" _-.,T", &rest)
    for word in words where rest.starts(with: word.utf8) { rest = rest.dropFirst(word.utf8.count) }
    let digits = rest.prefix(while: isDigit).count
    guard digits <= 2 else {
      // Milliseconds may follow without a separator.
      guard digits == 6 || digits == 9, let hour = number(2, &rest), let minute = number(2, &rest),
        let second = number(2, &rest)
      else { return nil }
      return (hour, minute, second)
    }
    guard var hour = number(digits, &rest), let separator = oneOf(".:-_", &rest), let minute = number(2, &rest),
      oneOf(".:-_", &rest) == separator, let second = number(2, &rest), !(rest.first.map(isDigit) ?? false)
    else { return nil }
    skipSpace(&rest)
    // Spanish has `p. m.`.
    let half = oneOf("aApP", &rest).map { $0 | 32 }
    if oneOf(".", &rest) != nil { skipSpace(&rest) }
    let isHalf = oneOf("mM", &rest) != nil && rest.first.map { ". -_(".utf8.contains($0) } ?? true
    if let half, isHalf, (1...12).contains(hour) {
      hour = hour % 12 + (half == UInt8(ascii: "p") ? 12 : 0)
    }
    return (hour, minute, second)
  }

  /// Takes exactly this many digits, at most 4.
  private static func number(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
    let digits = rest.prefix(count)
    guard count > 0, digits.count == count, digits.allSatisfy(isDigit) else { return nil }
    rest = rest.dropFirst(count)
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static func oneOf(_ allowed: String, _ rest: inout ArraySlice<UInt8>) -> UInt8? {
    guard let first = rest.first, allowed.utf8.contains(first) else { return nil }
    rest = rest.dropFirst()
    return first
  }

  private static func skip(_ separators: String, _ rest: inout ArraySlice<UInt8>) {
    for _ in 0..<3 where oneOf(separators, &rest) == nil { return }
  }

  /// Skips a space, which macOS makes a narrow one before AM and PM.
  private static func skipSpace(_ rest: inout ArraySlice<UInt8>) {
    for space in [" ", "\u{202f}", "\u{a0}"] where rest.starts(with: space.utf8) {
      rest = rest.dropFirst(space.utf8.count)
    }
  }

  /// Nil for fields that no calendar and no clock has.
  private static func moment(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0
  ) -> Int64? {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year) - 1900, Int32(month) - 1, Int32(day))
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
    let seconds = timegm(&parts)
    // An impossible day is moved into the next month.
    guard parts.tm_mon == Int32(month) - 1, parts.tm_mday == Int32(day) else { return nil }
    return Int64(seconds)
  }
}
