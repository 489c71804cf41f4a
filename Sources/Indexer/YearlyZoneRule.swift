/// The UTC offsets within every year, in POSIX form: `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// Source: https://pubs.opengroup.org/onlinepubs/9699919799/basedefs/V1_chap08.html
struct YearlyZoneRule: Sendable, Equatable {
  /// A day of every year, and the local time of its change of offset in seconds.
  private struct Turn: Sendable, Equatable {
    enum Day: Sendable, Equatable {
      /// 1 to 365, without the leap day.
      case julian(Int64)
      /// 0 to 365.
      case ofYear(Int64)
      /// Week 5 is the last one; weekdays count from Sunday.
      case weekday(month: Int64, week: Int64, weekday: Int64)
    }

    var day: Day
    var seconds: Int64
  }

  private struct Summer: Sendable, Equatable {
    var seconds: Int64
    var start: Turn
    var end: Turn
  }

  /// Seconds east of UTC.
  private var standardSeconds: Int64
  private var summer: Summer?

  /// Nil if the text is malformed.
  init?(_ text: Substring) {
    var text = text
    guard Self.takeName(&text), let standard = Self.takeTime(&text, limit: 24) else { return nil }
    standardSeconds = -standard
    guard !text.isEmpty else { return }
    guard Self.takeName(&text) else { return nil }
    var offset = standardSeconds + 3_600
    if text.first != "," {
      guard let summer = Self.takeTime(&text, limit: 24) else { return nil }
      offset = -summer
    }
    guard let start = Self.takeTurn(&text), let end = Self.takeTurn(&text), text.isEmpty else { return nil }
    summer = Summer(seconds: offset, start: start, end: end)
  }

  func offsetMinutes(at instant: Int64) -> Int32 {
    guard let summer else { return Int32(standardSeconds / 60) }
    // Apps never get dates of years beyond these.
    let year = Self.year(of: min(max(instant, -Self.farthest), Self.farthest))
    let start = Self.seconds(of: summer.start, in: year) - standardSeconds
    let end = Self.seconds(of: summer.end, in: year) - summer.seconds
    let isSummer = start < end ? (start..<end).contains(instant) : !(end..<start).contains(instant)
    return Int32((isSummer ? summer.seconds : standardSeconds) / 60)
  }

  private static let farthest: Int64 = 1 << 40

  // MARK: The calendar

  private static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  /// Days from 1970 to the beginning of a year.
  private static func days(to year: Int64) -> Int64 {
    let before = year - 1
    func floored(_ divisor: Int64) -> Int64 { before >= 0 ? before / divisor : (before - divisor + 1) / divisor }
    return 365 * (year - 1970) + floored(4) - floored(100) + floored(400) - 477
  }

  private static func year(of instant: Int64) -> Int64 {
    let day = instant >= 0 ? instant / 86_400 : (instant - 86_399) / 86_400
    var year = 1970 + day / 366
    while days(to: year + 1) <= day { year += 1 }
    while days(to: year) > day { year -= 1 }
    return year
  }

  /// The moment of a change in a year, in seconds since 1970 as if local time were UTC.
  private static func seconds(of turn: Turn, in year: Int64) -> Int64 {
    let first = days(to: year)
    let day =
      switch turn.day {
      case .ofYear(let number): first + number
      case .julian(let number): first + number - (isLeap(year) && number >= 60 ? 0 : 1)
      case .weekday(let month, let week, let weekday):
        Self.day(
          weekday, week, from: first + days(before: month, year),
          count: days(before: month + 1, year) - days(before: month, year))
      }
    return day * 86_400 + turn.seconds
  }

  private static func days(before month: Int64, _ year: Int64) -> Int64 {
    let days: [Int64] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]
    return days[Int(month) - 1] + (month > 2 && isLeap(year) ? 1 : 0)
  }

  /// The day of a weekday in a week of the month. 1970 began on a Thursday.
  private static func day(_ weekday: Int64, _ week: Int64, from first: Int64, count: Int64) -> Int64 {
    let ofFirst = ((first + 4) % 7 + 7) % 7
    var day = (weekday - ofFirst + 7) % 7 + (week - 1) * 7
    if day >= count { day -= 7 }
    return first + day
  }

  // MARK: The text

  private static func takeName(_ text: inout Substring) -> Bool {
    if text.first == "<" {
      guard let end = text.firstIndex(of: ">") else { return false }
      text = text[text.index(after: end)...]
      return true
    }
    let name = text.prefix(while: \.isLetter)
    text = text.dropFirst(name.count)
    return name.count >= 3
  }

  private static func takeNumber(_ text: inout Substring, _ range: ClosedRange<Int64>) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    text = text.dropFirst(digits.count)
    return Int64(digits).flatMap { range.contains($0) ? $0 : nil }
  }

  private static func take(_ character: Character, _ text: inout Substring) -> Bool {
    guard text.first == character else { return false }
    text.removeFirst()
    return true
  }

  /// Parses hours with a sign, minutes and seconds, as seconds.
  private static func takeTime(_ text: inout Substring, limit hours: Int64) -> Int64? {
    let isNegative = take("-", &text)
    if !isNegative { _ = take("+", &text) }
    guard var seconds = takeNumber(&text, 0...hours).map({ $0 * 3_600 }) else { return nil }
    for unit: Int64 in [60, 1] where take(":", &text) {
      guard let count = takeNumber(&text, 0...59) else { return nil }
      seconds += count * unit
    }
    return isNegative ? -seconds : seconds
  }

  private static func takeTurn(_ text: inout Substring) -> Turn? {
    guard take(",", &text), let day = takeDay(&text) else { return nil }
    guard take("/", &text) else { return Turn(day: day, seconds: 7_200) }
    return takeTime(&text, limit: 167).map { Turn(day: day, seconds: $0) }
  }

  private static func takeDay(_ text: inout Substring) -> Turn.Day? {
    if take("J", &text) { return takeNumber(&text, 1...365).map { .julian($0) } }
    guard take("M", &text) else { return takeNumber(&text, 0...365).map { .ofYear($0) } }
    guard let month = takeNumber(&text, 1...12), take(".", &text), let week = takeNumber(&text, 1...5),
      take(".", &text),
      let weekday = takeNumber(&text, 0...6)
    else { return nil }
    return .weekday(month: month, week: week, weekday: weekday)
  }
}
