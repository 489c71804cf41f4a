import Glibc
import Limits

/// A point in time as a person types it, in microseconds since 1970-01-01T00:00:00Z.
///
/// Absolute forms: `2024`, `2024-07`, `2024-07-03`, `2024-07-03T14:05` and `2024-07-03 14:05:06.5`.
/// A time may have `Z` or an offset such as `+02:00`; without one it is in the caller's time zone.
/// A year, a month or a day means its beginning.
///
/// Lengths from now: `+30d` and `-12h`, `two weeks ago` and `in a year`, in minutes m, hours h, days d,
/// weeks w, months mo of 30 days, and years y of 365 days. ``NamedDay`` reads days by their names.
enum Moment {
  /// The side of now on which a moment lies that is not named in full, such as `friday` or `30d`.
  enum Direction {
    case past
    case future
  }

  /// - Throws: `usage`, also for days that no calendar has.
  static func parse(
    _ text: String, of what: String, toward: Direction? = nil, now: Int64 = Moment.now
  ) throws(CommandError) -> Int64 {
    var scanner = DigitScanner(text)
    if let moment = absolute(&scanner) { return moment }
    guard text.utf8.count <= 64,
      let moment = relative(text, toward, now) ?? NamedDay.moment(text, toward: toward, now: now)
    else { throw .usage(refusal(text, of: what)) }
    guard ServiceLimits.dates.contains(moment) else {
      throw .usage("\(what) takes dates of the years 1 to 9999; \(text) is not one.")
    }
    return moment
  }

  private static func refusal(_ text: String, of what: String) -> String {
    let parts = text.split(separator: "/")
    if parts.count == 3, digits(parts[0], 1...2) != nil, digits(parts[1], 1...2) != nil {
      return "\(what): \(text) can mean two days, because the day or the month may be first. Write 2024-07-03, or "
        + "3 july 2024."
    }
    return "\(what) takes a date such as 2024-07-03, 2024-07-03T14:05+02:00, 3 july, yesterday 14:00, next friday or "
      + "+30d for 30 days from now; \(text) is not one. All forms: photobroker help dates"
  }

  /// Parses a time that has passed, also `3d` for 3 days ago.
  /// - Throws: `usage`.
  static func past(_ text: String, of what: String, now: Int64 = Moment.now) throws(CommandError) -> Int64 {
    try parse(text, of: what, toward: .past, now: now)
  }

  /// Parses a time to come, also `3d` for in 3 days.
  /// - Throws: `usage`.
  static func future(_ text: String, of what: String, now: Int64 = Moment.now) throws(CommandError) -> Int64 {
    try parse(text, of: what, toward: .future, now: now)
  }

  /// The value of a text of so many digits.
  static func digits(_ text: some StringProtocol, _ count: ClosedRange<Int>) -> Int? {
    guard count.contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return Int(text)
  }

  /// Parses a point in time in a file.
  /// - Throws: `badData`.
  static func parse(
    _ text: String, in place: String, _ key: String, toward: Direction? = nil
  ) throws(CommandError) -> Int64 {
    do throws(CommandError) { return try parse(text, of: "\(place): \(key)", toward: toward) } catch {
      throw CommandError(.badData, error.message)
    }
  }

  /// Parses a length of time, such as `30d`, `2 weeks` or `a day`, in seconds.
  /// - Throws: `usage`.
  static func length(_ text: String, of what: String) throws(CommandError) -> Int64 {
    guard let length = seconds(text), length > 0 else {
      throw .usage("\(what) takes a length of time such as 30d, 12h, 2 weeks or a day; \(text) is not one.")
    }
    return length
  }

  /// Parses a length of time in a file.
  /// - Throws: `badData`.
  static func length(_ text: String, in place: String, _ key: String) throws(CommandError) -> Int64 {
    do throws(CommandError) { return try length(text, of: "\(place): \(key)") } catch {
      throw CommandError(.badData, error.message)
    }
  }

  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }

  private static func relative(_ text: String, _ toward: Direction?, _ now: Int64) -> Int64? {
    let text = text.lowercased()
    let forms: [(before: String, after: String, sign: Int64)] =
      [("+", "", 1), ("in ", "", 1), ("-", "", -1), ("", " ago", -1)]
      + (toward.map { [("", "", $0 == .future ? 1 : -1)] } ?? [])
    guard let form = forms.first(where: { text.hasPrefix($0.before) && text.hasSuffix($0.after) }),
      let length = seconds(String(text.dropFirst(form.before.count).dropLast(form.after.count)))
    else { return nil }
    // The years 1 to 9999 have fewer seconds, and more may not fit the sum.
    return length < 1_000_000_000_000 ? now + form.sign * length * 1_000_000 : .max
  }

  private static let units: [(short: String, long: String, seconds: Int64)] = [
    ("m", "minute", 60), ("h", "hour", 3_600), ("d", "day", 86_400), ("w", "week", 604_800),
    ("mo", "month", 2_592_000), ("y", "year", 31_536_000),
  ]
  private static let numbers = [
    "a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
  ]

  /// A length of time in seconds: a number, in digits or a word, with a unit.
  private static func seconds(_ text: String) -> Int64? {
    let text = text.lowercased()
    let number = text.prefix { $0.isASCII && $0.isNumber }
    var (count, unit) = (digits(number, 1...6), text.dropFirst(number.count).drop { $0 == " " })
    if number.isEmpty, let space = text.firstIndex(of: " ") {
      let word = text[..<space]
      count = (word == "an" ? 0 : numbers.firstIndex(of: String(word))).map { max(1, $0) }
      unit = text[text.index(after: space)...]
    }
    guard let count, let known = units.first(where: { [$0.short, $0.long, $0.long + "s"].contains(String(unit)) })
    else { return nil }
    return Int64(count) * known.seconds
  }

  private static func absolute(_ scanner: inout DigitScanner) -> Int64? {
    guard let year = scanner.number(digits: 4), var fields = day(year, 1, 1) else { return nil }
    var micros: Int64 = 0
    if scanner.take("-") {
      guard let month = scanner.number(digits: 2), let first = day(year, month, 1) else { return nil }
      fields = first
      if scanner.take("-") {
        guard let number = scanner.number(digits: 2), let found = day(year, month, number) else { return nil }
        fields = found
        if scanner.take("T") || scanner.take(" ") || scanner.take("t") {
          guard let clock = ClockTime(&scanner) else { return nil }
          (fields.tm_hour, fields.tm_min, fields.tm_sec) = (clock.hour, clock.minute, clock.second)
          micros = clock.micros
        }
      }
    }
    if scanner.isAtEnd { return Int64(mktime(&fields)) * 1_000_000 + micros }
    guard let offset = scanner.zone(), scanner.isAtEnd else { return nil }
    return Int64(timegm(&fields) - offset * 60) * 1_000_000 + micros
  }

  /// The beginning of a day; nil for a day that no calendar has.
  static func day(_ year: Int, _ month: Int, _ day: Int) -> tm? {
    guard year > 0 else { return nil }
    var fields = tm()
    (fields.tm_year, fields.tm_mon, fields.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
    fields.tm_isdst = -1
    // The system counts the days beyond a month's end into the next one.
    var counted = fields
    timegm(&counted)
    return counted.tm_mon == fields.tm_mon && counted.tm_mday == fields.tm_mday ? fields : nil
  }
}
