import Glibc
import Limits

/// A point in time as a person types it, in microseconds since 1970-01-01T00:00:00Z.
///
/// Absolute forms: `2024`, `2024-07`, `2024-07-03`, `2024-07-03T14:05` and `2024-07-03 14:05:06.5`.
/// A time may have `Z` or an offset such as `+02:00`; without one it is in the caller's time zone.
/// A year, a month or a day means its beginning.
///
/// Relative forms: `+30d` and `-12h` from now, `2 weeks ago` and `in a day`, in minutes m, hours h, days
/// d, weeks w, and months mo of 30 days. Days by name: `today`, `yesterday`, `tomorrow`, `monday` and
/// `last monday` for the last one before today, `next monday` for the first one after it. Months and years
/// by name: `july 2024`, `3 july 2024`, `last month`, `this year`.
enum Moment {
  /// - Throws: `usage`, also for days that no calendar has.
  static func parse(_ text: String, of what: String, now: Int64 = Moment.now) throws(CommandError) -> Int64 {
    if let relative = relative(text, now) ?? named(text, now) {
      guard ServiceLimits.dates.contains(relative) else {
        throw .usage("\(what) takes dates of the years 1 to 9999; \(text) is not one.")
      }
      return relative
    }
    var scanner = DigitScanner(text)
    if let moment = absolute(&scanner) { return moment }
    throw .usage(
      "\(what) takes a date such as 2024-07-03, 2024-07-03T14:05+02:00, july 2024, yesterday, next friday or +30d for "
        + "30 days from now; \(text) is not one."
    )
  }

  /// Parses a time that has passed, also `3d` for 3 days ago.
  /// - Throws: `usage`.
  static func past(_ text: String, of what: String, now: Int64 = Moment.now) throws(CommandError) -> Int64 {
    try parse(relative("-" + text, now) == nil ? text : "-" + text, of: what, now: now)
  }

  /// Parses a time to come, also `3d` for in 3 days.
  /// - Throws: `usage`.
  static func future(_ text: String, of what: String, now: Int64 = Moment.now) throws(CommandError) -> Int64 {
    try parse(relative("+" + text, now) == nil ? text : "+" + text, of: what, now: now)
  }

  /// The beginning of a day, a month or a year that is named by words.
  private static func named(_ text: String, _ now: Int64) -> Int64? {
    var (seconds, fields) = (time_t(now / 1_000_000), tm())
    guard localtime_r(&seconds, &fields) != nil else { return nil }
    let words = text.lowercased().split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
    guard let last = words.last, words.count <= 3 else { return nil }
    let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    let steps: [String: Int32] = ["last": -1, "this": 0, "next": 1]
    let step = words.count == 2 ? steps[words[0]] : nil
    if words.count == 1, let days = ["yesterday": -1, "today": 0, "tomorrow": 1][last] as Int32? {
      fields.tm_mday += days
    } else if let day = weekdays.firstIndex(of: last), words.count == 1 || step == -1 {
      fields.tm_mday -= (fields.tm_wday - Int32(day) + 6) % 7 + 1
    } else if let day = weekdays.firstIndex(of: last), step == 1 {
      fields.tm_mday += (Int32(day) - fields.tm_wday + 6) % 7 + 1
    } else if let step, last == "month" {
      (fields.tm_mday, fields.tm_mon) = (1, fields.tm_mon + step)
    } else if let step, last == "year" {
      (fields.tm_mday, fields.tm_mon, fields.tm_year) = (1, 0, fields.tm_year + step)
    } else if let day = calendarDay(words) {
      (fields.tm_mday, fields.tm_mon, fields.tm_year) = (day.tm_mday, day.tm_mon, day.tm_year)
    } else {
      return nil
    }
    (fields.tm_hour, fields.tm_min, fields.tm_sec, fields.tm_isdst) = (0, 0, 0, -1)
    return Int64(mktime(&fields)) * 1_000_000
  }

  /// The first day of `july 2024`, or the day of `3 july 2024` or `july 3 2024`.
  private static func calendarDay(_ words: [String]) -> tm? {
    let months = [
      "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
      "december",
    ]
    guard words.count >= 2, let last = words.last, last.utf8.count == 4, let year = digits(last), year > 0 else {
      return nil
    }
    var rest = words.dropLast()
    guard
      let place = rest.firstIndex(where: { word in word.utf8.count >= 3 && months.contains { $0.hasPrefix(word) } }),
      let month = months.firstIndex(where: { $0.hasPrefix(rest[place]) })
    else { return nil }
    rest.remove(at: place)
    guard let text = rest.first else { return day(year, month + 1, 1) }
    guard text.utf8.count <= 2, let number = digits(text) else { return nil }
    return day(year, month + 1, number)
  }

  private static func digits(_ text: some StringProtocol) -> Int? {
    guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return Int(text)
  }

  /// Parses a point in time in a file.
  /// - Throws: `badData`.
  static func parse(_ text: String, in place: String, _ key: String) throws(CommandError) -> Int64 {
    do throws(CommandError) { return try parse(text, of: "\(place): \(key)") } catch {
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

  private static func relative(_ text: String, _ now: Int64) -> Int64? {
    let text = text.lowercased()
    let forms: [(before: String, after: String, sign: Int64)] = [
      ("+", "", 1), ("in ", "", 1), ("-", "", -1), ("", " ago", -1),
    ]
    guard let form = forms.first(where: { text.hasPrefix($0.before) && text.hasSuffix($0.after) }),
      let count = seconds(String(text.dropFirst(form.before.count).dropLast(form.after.count)))
    else { return nil }
    return now + form.sign * count * 1_000_000
  }

  /// A length of time in seconds: a number, or `a`, with a unit.
  private static func seconds(_ text: String) -> Int64? {
    let units: [(short: String, long: String, seconds: Int64)] = [
      ("m", "minute", 60), ("h", "hour", 3_600), ("d", "day", 86_400), ("w", "week", 604_800),
      ("mo", "month", 2_592_000),
    ]
    let text = text.lowercased()
    let number = text.prefix { $0.isASCII && $0.isNumber }
    var (count, unit) = (digits(number), text.dropFirst(number.count))
    if number.isEmpty, let article = ["a ", "an "].first(where: { text.hasPrefix($0) }) {
      (count, unit) = (1, text.dropFirst(article.count))
    } else {
      unit = unit.drop { $0 == " " }
    }
    guard let count, let known = units.first(where: { [$0.short, $0.long, $0.long + "s"].contains(String(unit)) })
    else { return nil }
    return Int64(count) * known.seconds
  }

  private static func absolute(_ scanner: inout DigitScanner) -> Int64? {
    guard let year = scanner.number(digits: 4), var fields = day(year, 1, 1) else { return nil }
    var fraction: Int64 = 0
    if scanner.take("-") {
      guard let month = scanner.number(digits: 2), let first = day(year, month, 1) else { return nil }
      fields = first
      if scanner.take("-") {
        guard let number = scanner.number(digits: 2), let found = day(year, month, number) else { return nil }
        fields = found
        if scanner.take("T") || scanner.take(" ") || scanner.take("t") {
          guard let hours = scanner.number(digits: 2), hours < 24, scanner.take(":"),
            let minutes = scanner.number(digits: 2), minutes < 60
          else { return nil }
          (fields.tm_hour, fields.tm_min) = (Int32(hours), Int32(minutes))
          if scanner.take(":") {
            guard let seconds = scanner.number(digits: 2), seconds < 60 else { return nil }
            fields.tm_sec = Int32(seconds)
            if scanner.take(".") {
              guard let micros = scanner.fraction() else { return nil }
              fraction = micros
            }
          }
        }
      }
    }
    if scanner.isAtEnd { return Int64(mktime(&fields)) * 1_000_000 + fraction }
    guard let offset = scanner.zone(), scanner.isAtEnd else { return nil }
    return Int64(timegm(&fields) - offset * 60) * 1_000_000 + fraction
  }

  /// The beginning of a day; nil for a day that no calendar has.
  private static func day(_ year: Int, _ month: Int, _ day: Int) -> tm? {
    var fields = tm()
    (fields.tm_year, fields.tm_mon, fields.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
    fields.tm_isdst = -1
    // The system counts the days beyond a month's end into the next one.
    var counted = fields
    timegm(&counted)
    return counted.tm_mon == fields.tm_mon && counted.tm_mday == fields.tm_mday ? fields : nil
  }
}
