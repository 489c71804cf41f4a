import Glibc

/// A point in time as a person types it, in microseconds since 1970-01-01T00:00:00Z.
///
/// Absolute forms: `2024`, `2024-07`, `2024-07-03`, `2024-07-03T14:05` and `2024-07-03 14:05:06.5`.
/// A time may have `Z` or an offset such as `+02:00`; without one it is in the caller's time zone.
/// A year, a month or a day means its beginning.
///
/// Relative forms: `+30d` and `-12h` from now, in minutes m, hours h, days d, weeks w, and months mo
/// of 30 days. Days by name: `today`, `yesterday`, `monday` and `last monday`; the last one before today.
enum Moment {
  /// - Throws: `usage`, also for days that no calendar has.
  static func parse(_ text: String, of what: String, now: Int64 = Moment.now) throws(CommandError) -> Int64 {
    if let relative = relative(text, now) ?? day(text, now) {
      guard years.contains(relative) else {
        throw .usage("\(what) takes dates of the years 1 to 9999; \(text) is not one.")
      }
      return relative
    }
    var scanner = DigitScanner(text)
    if let moment = absolute(&scanner) { return moment }
    throw .usage(
      "\(what) takes a date such as 2024-07-03, 2024-07-03T14:05+02:00, or +30d for 30 days from now; \(text) is not "
        + "one."
    )
  }

  /// Parses a time that has passed, also `3d` for 3 days ago.
  /// - Throws: `usage`.
  static func past(_ text: String, of what: String, now: Int64 = Moment.now) throws(CommandError) -> Int64 {
    try parse(relative("-" + text, now) == nil ? text : "-" + text, of: what, now: now)
  }

  /// The beginning of a day that is named by a word.
  private static func day(_ text: String, _ now: Int64) -> Int64? {
    var (seconds, fields) = (time_t(now / 1_000_000), tm())
    guard localtime_r(&seconds, &fields) != nil else { return nil }
    let words = text.lowercased().split(separator: " ")
    let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    switch words {
    case ["today"]: break
    case ["yesterday"]: fields.tm_mday -= 1
    default:
      guard words.count == 1 || words.count == 2 && words[0] == "last",
        let day = weekdays.firstIndex(of: String(words[words.count - 1]))
      else { return nil }
      fields.tm_mday -= (fields.tm_wday - Int32(day) + 6) % 7 + 1
    }
    (fields.tm_hour, fields.tm_min, fields.tm_sec, fields.tm_isdst) = (0, 0, 0, -1)
    return Int64(mktime(&fields)) * 1_000_000
  }

  /// Parses a point in time in a file.
  /// - Throws: `badData`.
  static func parse(_ text: String, in place: String, _ key: String) throws(CommandError) -> Int64 {
    do throws(CommandError) { return try parse(text, of: "\(place): \(key)") } catch {
      throw CommandError(.badData, error.message)
    }
  }

  /// Parses a length of time, such as 30d, in seconds.
  /// - Throws: `usage`.
  static func length(_ text: String, of what: String) throws(CommandError) -> Int64 {
    guard let length = relative("+" + text, 0), length > 0 else {
      throw .usage("\(what) takes a length of time such as 30d, 12h or 2w; \(text) is not one.")
    }
    return length / 1_000_000
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

  /// The years 1 to 9999, as the broker accepts them.
  private static let years = daysSinceEpoch(1, 1, 1) * 86_400_000_000..<daysSinceEpoch(10_000, 1, 1) * 86_400_000_000

  private static func relative(_ text: String, _ now: Int64) -> Int64? {
    let units: [(name: String, seconds: Int64)] = [
      ("mo", 2_592_000), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800),
    ]
    guard let sign = text.first, sign == "+" || sign == "-", let unit = units.first(where: { text.hasSuffix($0.name) })
    else { return nil }
    let digits = text.dropFirst().dropLast(unit.name.count)
    guard digits.utf8.count <= 6, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let count = Int64(digits) else {
      return nil
    }
    return now + (sign == "+" ? 1 : -1) * count * unit.seconds * 1_000_000
  }

  private static func absolute(_ scanner: inout DigitScanner) -> Int64? {
    guard let year = scanner.number(digits: 4) else { return nil }
    var (month, day, hour, minute, second, fraction) = (1, 1, 0, 0, 0, Int64(0))
    if scanner.take("-") {
      guard let found = scanner.number(digits: 2), (1...12).contains(found) else { return nil }
      month = found
      if scanner.take("-") {
        guard let found = scanner.number(digits: 2), (1...days(inMonth: month, year)).contains(found) else {
          return nil
        }
        day = found
        if scanner.take("T") || scanner.take(" ") || scanner.take("t") {
          guard let hours = scanner.number(digits: 2), hours < 24, scanner.take(":"),
            let minutes = scanner.number(digits: 2), minutes < 60
          else { return nil }
          (hour, minute) = (hours, minutes)
          if scanner.take(":") {
            guard let seconds = scanner.number(digits: 2), seconds < 60 else { return nil }
            second = seconds
            if scanner.take(".") {
              guard let micros = scanner.fraction() else { return nil }
              fraction = micros
            }
          }
        }
      }
    }
    let utc = (daysSinceEpoch(year, month, day) * 24 + Int64(hour)) * 3_600 + Int64(minute * 60 + second)
    if scanner.isAtEnd {
      var fields = tm()
      fields.tm_year = Int32(year - 1900)
      (fields.tm_mon, fields.tm_mday) = (Int32(month - 1), Int32(day))
      (fields.tm_hour, fields.tm_min, fields.tm_sec, fields.tm_isdst) = (Int32(hour), Int32(minute), Int32(second), -1)
      return Int64(mktime(&fields)) * 1_000_000 + fraction
    }
    guard let offset = scanner.zone(), scanner.isAtEnd else { return nil }
    return (utc - Int64(offset) * 60) * 1_000_000 + fraction
  }

  private static func days(inMonth month: Int, _ year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return switch month {
    case 2: isLeap ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01 in the Gregorian calendar.
  private static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    // Years start in March here, so that the leap day is the last of its year.
    let shifted = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let leapDays = shifted / 4 - shifted / 100 + shifted / 400
    return Int64(shifted * 365 + leapDays + (monthFromMarch * 153 + 2) / 5 + day - 1 - 719_468)
  }
}
