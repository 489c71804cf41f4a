import Glibc

/// A reader for moments that a person names by a day: `next friday`, `3 july`, `yesterday 14:00`.
struct NamedDay {
  private let today: tm
  private let now: Int64
  private let toward: Moment.Direction?
  /// The time of the day; nil: the day's beginning.
  private var clock: ClockTime?

  private enum Word: Sendable {
    /// Days from today, and the hour that the name means.
    case day(Int, hour: Int32)
    case weekday(Int)
    case month(Int)
    case number(Int)
    case year(Int)
    case step(Int)
    case unit(String)
  }

  private static let vocabulary: [String: Word] = {
    var words: [String: Word] = [
      "yesterday": .day(-1, hour: 0), "today": .day(0, hour: 0), "tonight": .day(0, hour: 24),
      "tomorrow": .day(1, hour: 0), "last": .step(-1), "this": .step(0), "next": .step(1), "week": .unit("week"),
      "month": .unit("month"), "year": .unit("year"),
    ]
    func add(_ names: String, _ word: (Int) -> Word) {
      for (index, name) in names.split(separator: " ").enumerated() {
        for length in 3...name.count { words[String(name.prefix(length))] = word(index) }
      }
    }
    add("sunday monday tuesday wednesday thursday friday saturday") { .weekday($0) }
    add("january february march april may june july august september october november december") { .month($0 + 1) }
    return words
  }()

  /// The moment of a text; nil if it names none.
  static func moment(_ text: String, toward: Moment.Direction?, now: Int64) -> Int64? {
    var (seconds, today) = (time_t(now / 1_000_000), tm())
    guard localtime_r(&seconds, &today) != nil else { return nil }
    var reader = NamedDay(today: today, now: now, toward: toward)
    var texts = text.lowercased().split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
    if texts == ["now"] { return now }
    reader.clock = texts.last.flatMap { $0 == "noon" ? ClockTime(hour: 12) : ClockTime($0) }
    if reader.clock != nil { texts.removeLast() }
    let words = texts.map(Self.words)
    guard !words.contains(where: \.isEmpty), let day = reader.day(words.flatMap(\.self)) else { return nil }
    return reader.moment(day)
  }

  /// The words of a text without spaces: three of a date in numbers, none of an unknown text.
  private static func words(_ text: String) -> [Word] {
    if let word = vocabulary[text] { return [word] }
    if let year = Moment.digits(text, 4...4) { return [.year(year)] }
    let isOrdinal = ["st", "nd", "rd", "th"].contains { text.hasSuffix($0) }
    if let number = Moment.digits(text.dropLast(isOrdinal ? 2 : 0), 1...2) { return [.number(number)] }
    let isYearFirst = text.contains("/")
    let parts = text.split(separator: isYearFirst ? "/" : ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let month = Moment.digits(parts[1], 1...2),
      let day = Moment.digits(parts[isYearFirst ? 2 : 0], 1...2),
      let year = Moment.digits(parts[isYearFirst ? 0 : 2], 4...4)
    else { return [] }
    return [.number(day), .month(month), .year(year)]
  }

  /// The day of the words, one row for each form.
  private func day(_ words: [Word]) -> tm? {
    guard words.count <= 3 else { return nil }
    let words = words.map(Optional.some) + [Word?](repeating: nil, count: 3 - words.count)
    switch (words[0], words[1], words[2]) {
    case (nil, nil, nil): return clock == nil ? nil : first(0...1) { shifted($0) }
    case (.day(let days, let hour)?, nil, nil): return shifted(days, hour)
    case (.weekday(let day)?, nil, nil): return weekday(day, isAhead: toward == .future)
    case (.step(let step)?, .weekday(let day)?, nil): return step == 0 ? nil : weekday(day, isAhead: step > 0)
    case (.step(let step)?, .unit("week")?, nil): return shifted(step * 7 - Int(today.tm_wday + 6) % 7)
    case (.step(let step)?, .unit("month")?, nil): return beginning(month: Int(today.tm_mon) + step)
    case (.step(let step)?, .unit("year")?, nil): return beginning(month: step * 12)
    case (.month(let month)?, nil, nil): return nearest(month)
    case (.number(let day)?, .month(let month)?, nil), (.month(let month)?, .number(let day)?, nil):
      return nearest(month, day)
    case (.month(let month)?, .year(let year)?, nil): return Moment.day(year, month, 1)
    case (.number(let day)?, .month(let month)?, .year(let year)?),
      (.month(let month)?, .number(let day)?, .year(let year)?):
      return Moment.day(year, month, day)
    default: return nil
    }
  }

  private func shifted(_ days: Int, _ hour: Int32 = 0) -> tm {
    var fields = today
    fields.tm_mday += Int32(days)
    (fields.tm_hour, fields.tm_min, fields.tm_sec, fields.tm_isdst) = (hour, 0, 0, -1)
    return fields
  }

  /// The last such day before today, or the first one after it.
  private func weekday(_ day: Int, isAhead: Bool) -> tm {
    let passed = (Int(today.tm_wday) - day + 6) % 7 + 1
    return shifted(isAhead ? (day - Int(today.tm_wday) + 6) % 7 + 1 : -passed)
  }

  /// The first day of a month, counted from January of this year.
  private func beginning(month: Int) -> tm {
    var fields = shifted(0)
    (fields.tm_mday, fields.tm_mon) = (1, Int32(month))
    return fields
  }

  /// The day, or the month's first day, of the nearest year that has it: the next one for a time to
  /// come, else the last one.
  private func nearest(_ month: Int, _ day: Int? = nil) -> tm? {
    let candidate = { (years: Int) in Moment.day(Int(today.tm_year) + 1900 + years, month, day ?? 1) }
    // Up to eight years pass between two leap days.
    guard toward == .future else { return first(0...8, candidate) }
    // The present day or month is meant itself, though it has begun, and not the one in a year.
    let isOver = (month, day ?? 31) < (Int(today.tm_mon) + 1, Int(today.tm_mday))
    return ((isOver ? 1 : 0)...9).lazy.compactMap(candidate).first
  }

  /// The first candidate on the wanted side of now, by its distance from the present period.
  private func first(_ distances: ClosedRange<Int>, _ candidate: (Int) -> tm?) -> tm? {
    let isAhead = toward == .future
    return distances.compactMap { candidate(isAhead ? $0 : -$0) }.first { (moment($0) > now) == isAhead }
  }

  private func moment(_ day: tm) -> Int64 {
    var fields = day
    if let clock { (fields.tm_hour, fields.tm_min, fields.tm_sec) = (clock.hour, clock.minute, clock.second) }
    return Int64(mktime(&fields)) * 1_000_000 + (clock?.micros ?? 0)
  }
}
