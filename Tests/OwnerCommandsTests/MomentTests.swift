import Glibc
import Testing

@testable import OwnerCommands

@Suite(.serialized) struct MomentTests {
  private func parse(_ text: String, now: Int64 = 1_000_000_000_000_000) throws -> Int64 {
    try Moment.parse(text, of: "--from", now: now)
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00Z", 0), ("2024-07-03T14:05:06+02:00", 1_720_008_306_000_000),
      ("2024-07-03 12:05:06Z", 1_720_008_306_000_000),
      ("2024-07-03T12:05:06.5Z", 1_720_008_306_500_000), ("2024-07-03T12:05:06.1234567Z", 1_720_008_306_123_456),
      ("2024-02-29T00:00-05:30", 1_709_184_600_000_000), ("1969-12-31T23:59:59Z", -1_000_000),
      ("0001-01-01T00:00Z", -62_135_596_800_000_000),
      ("9999-12-31T23:59:59Z", 253_402_300_799_000_000),
    ] as [(String, Int64)])
  func `a time with an offset is the same everywhere`(text: String, moment: Int64) throws {
    #expect(try parse(text) == moment)
  }

  private func inZone(_ name: String, _ body: () throws -> Void) throws {
    let before = getenv("TZ").map { String(cString: $0) }
    setenv("TZ", name, 1)
    tzset()
    defer {
      if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
      tzset()
    }
    try body()
  }

  @Test func `a time without an offset is in the machine's time zone`() throws {
    try inZone("Europe/Berlin") { () throws in
      #expect(try parse("2024-07-03") == parse("2024-07-03T00:00+02:00"))
      #expect(try parse("2024-01") == parse("2024-01-01T00:00+01:00"))
      #expect(try parse("2024") == parse("2023-12-31T23:00Z"))
      #expect(Words.moment(1_720_008_306_000_000) == "2024-07-03T14:05:06+02:00")
      #expect(Words.moment(-1) == "1970-01-01T00:59:59+01:00")
    }
  }

  @Test func `a duration ends within the representable years`() {
    for text in ["+999999w", "-999999w"] {
      let refused = #expect(throws: CommandError.self) { try parse(text) }
      #expect(refused?.code == .usage && refused?.message.contains("1 to 9999") == true)
    }
  }

  @Test func `a duration counts from now`() throws {
    #expect(try parse("+30d") == 1_000_000_000_000_000 + 30 * 86_400_000_000)
    #expect(try parse("-12h") == 1_000_000_000_000_000 - 12 * 3_600_000_000)
    #expect(try parse("+2w", now: 0) == 1_209_600_000_000)
    #expect(try parse("+5m", now: 0) == 300_000_000)
  }

  @Test func `days are named by words, and --since takes a length`() throws {
    let thursday: Int64 = 1_720_008_306_000_000 + 86_400_000_000
    func parse(_ text: String) throws -> Int64 { try self.parse(text, now: thursday) }
    for (word, day) in [
      ("today", "2024-07-04"), ("Yesterday", "2024-07-03"), ("last monday", "2024-07-01"), ("wednesday", "2024-07-03"),
      ("thursday", "2024-06-27"), ("friday", "2024-06-28"), ("tomorrow", "2024-07-05"), ("next friday", "2024-07-05"),
      ("next thursday", "2024-07-11"), ("July 2024", "2024-07-01"), ("jul 2023", "2023-07-01"),
      ("3 july 2024", "2024-07-03"), ("July 3, 2024", "2024-07-03"), ("29 february 2024", "2024-02-29"),
      ("last month", "2024-06-01"), ("next month", "2024-08-01"), ("this year", "2024-01-01"),
      ("last year", "2023-01-01"),
    ] {
      #expect(try parse(word) == parse(day), "\(word)")
    }
    for text in ["2 weeks ago", "in a day", "in 3 hours", "an hour ago", "1 month ago"] {
      let short = ["2 weeks ago": "-2w", "in a day": "+1d", "in 3 hours": "+3h", "an hour ago": "-1h"][text] ?? "-30d"
      #expect(try parse(text) == parse(short), "\(text)")
    }
    #expect(try Moment.future("30d", of: "WHEN", now: thursday) == parse("+30d"))
    #expect(try Moment.future("next friday", of: "WHEN", now: thursday) == parse("2024-07-05"))
    #expect(try Moment.past("3d", of: "--since", now: thursday) == parse("-3d"))
    for text in ["-3d", "2024-05", "yesterday"] {
      #expect(try Moment.past(text, of: "--since", now: thursday) == parse(text))
    }
  }

  /// Thursday, 4 July 2024, 14:05:06 in Berlin.
  private static let thursday: Int64 = 1_720_094_706_000_000

  @Test(
    arguments: [
      ("now", "2024-07-04 14:05:06", "2024-07-04 14:05:06"), ("noon", "2024-07-04 12:00", "2024-07-05 12:00"),
      ("16:00", "2024-07-03 16:00", "2024-07-04 16:00"), ("14:05:06", "2024-07-04 14:05:06", "2024-07-05 14:05:06"),
      ("9:30", "2024-07-04 09:30", "2024-07-05 09:30"), ("tonight", "2024-07-05", "2024-07-05"),
      ("tonight 20:00", "2024-07-04 20:00", "2024-07-04 20:00"),
      ("yesterday 14:00", "2024-07-03 14:00", "2024-07-03 14:00"),
      ("tomorrow noon", "2024-07-05 12:00", "2024-07-05 12:00"),
      ("friday", "2024-06-28", "2024-07-05"), ("thu", "2024-06-27", "2024-07-11"),
      ("Sunday 18:30", "2024-06-30 18:30", "2024-07-07 18:30"),
      ("last sunday", "2024-06-30", "2024-06-30"), ("next sunday", "2024-07-07", "2024-07-07"),
      ("last week", "2024-06-24", "2024-06-24"), ("this week", "2024-07-01", "2024-07-01"),
      ("next week", "2024-07-08", "2024-07-08"), ("this month", "2024-07-01", "2024-07-01"),
      ("next year", "2025-01-01", "2025-01-01"),
      ("july", "2024-07-01", "2024-07-01"), ("december", "2023-12-01", "2024-12-01"),
      ("4 july", "2024-07-04", "2024-07-04"), ("3 july", "2024-07-03", "2025-07-03"),
      ("july 4 14:06", "2023-07-04 14:06", "2024-07-04 14:06"),
      ("5th july", "2023-07-05", "2024-07-05"), ("July 24", "2023-07-24", "2024-07-24"),
      ("29 february", "2024-02-29", "2028-02-29"), ("3rd july 2024", "2024-07-03", "2024-07-03"),
      ("August 22nd, 2023", "2023-08-22", "2023-08-22"), ("3.7.2024", "2024-07-03", "2024-07-03"),
      ("31.12.1999 23:59", "1999-12-31 23:59", "1999-12-31 23:59"), ("2024/07/03", "2024-07-03", "2024-07-03"),
      ("2024/7/3 8:00", "2024-07-03 08:00", "2024-07-03 08:00"),
      // Clocks change on 27 October.
      ("27 october 2024 12:00", "2024-10-27T12:00+01:00", "2024-10-27T12:00+01:00"),
      ("3 weeks", "-3w", "+3w"), ("a year", "-365d", "+365d"), ("1y", "-365d", "+365d"),
      ("two months", "-60d", "+60d"), ("a year ago", "-365d", "-365d"), ("two weeks ago", "-14d", "-14d"),
      ("One week ago", "-7d", "-7d"), ("in two weeks", "+14d", "+14d"), ("twelve days ago", "-12d", "-12d"),
      ("+1y", "+365d", "+365d"), ("in an hour", "+1h", "+1h"),
    ] as [(String, String, String)])
  func `a date by words is the last one, or the next where a coming one is meant`(
    text: String, last: String, next: String
  ) throws {
    try inZone("Europe/Berlin") { () throws in
      let now = Self.thursday
      #expect(try Moment.past(text, of: "x", now: now) == parse(last, now: now))
      #expect(try Moment.future(text, of: "x", now: now) == parse(next, now: now))
    }
  }

  @Test func `weeks, months and years turn at their ends`() throws {
    try inZone("UTC") { () throws in
      for (now, text, day) in [
        ("2024-06-30", "this week", "2024-06-24"), ("2024-07-01", "this week", "2024-07-01"),
        ("2024-07-01", "last week", "2024-06-24"), ("2024-01-31", "next month", "2024-02-01"),
        ("2024-01-01", "last month", "2023-12-01"), ("2024-01-01", "yesterday", "2023-12-31"),
        ("2024-12-31", "next week", "2025-01-06"), ("2024-12-31", "tonight", "2025-01-01"),
        ("1904-02-28", "29 february", "1896-02-29"), ("2024-02-29", "29 february", "2024-02-29"),
      ] {
        #expect(try parse(text, now: parse(now)) == parse(day), "\(text) on \(now)")
      }
    }
  }

  @Test(arguments: ["3/7/2024", "03/07/2024", "7/31/2024", "3/7/24"])
  func `a date that can mean two days is refused with the way to write it`(text: String) {
    let refused = #expect(throws: CommandError.self) { try parse(text) }
    #expect(refused?.message.contains("Write 2024-07-03, or 3 july 2024.") == true)
  }

  @Test(arguments: [
    String(repeating: "9", count: 100_000), "+" + String(repeating: "9", count: 400) + "y", "99999999999999999999d",
    "in 99999999999999999999 years", String(repeating: "next ", count: 50_000) + "friday", "\u{0}", "friday\u{0}",
    "31.2.2024", "29.2.2023", "0.1.2024", "1.0.2024", "1.13.2024", "1.1.0000", "1.1.24", "1..2024", "...", "2024/02/30",
    "2024/0/1", "2024/1", "///", "//2024", "31 february", "30 february", "0 july", "32 july", "99 may", "1st",
    "st july",
    "3 4 july", "july 14:60", "24:00", "1:2", ":", "14:00 14:00", "noon noon", "14:00 friday", "now 14:00", "3 now",
    "-1 july", "٣ july", "3．7．2024", "friday friday", "this friday", "next", "next 3", "last last week",
    "tomorrow week",
    "zero weeks", "thirteen weeks", "a", "a  week", "week ago", "in", "in week", "ago", "-", "+", "--1d", "+-1d",
    "in +1d",
    "1d ago ago", "\u{1F600} july",
  ])
  func `a hostile date is refused`(text: String) {
    for toward in [nil, Moment.Direction.past, .future] {
      #expect(throws: CommandError.usage("")) { try Moment.parse(text, of: "x", toward: toward, now: Self.thursday) }
    }
  }

  @Test(arguments: ["999999y", "-999999y", "+999999w", "in 999999 years", "9000 years ago"])
  func `a length out of the calendar is refused`(text: String) {
    for toward in [Moment.Direction.past, .future] {
      let refused = #expect(throws: CommandError.self) {
        try Moment.parse(text, of: "x", toward: toward, now: Self.thursday)
      }
      #expect(refused?.message.contains("1 to 9999") == true)
    }
  }

  @Test(
    arguments: [
      ("30d", 2_592_000), ("1y", 31_536_000), ("two years", 63_072_000), ("twelve hours", 43_200),
      ("2 weeks", 1_209_600), ("a day", 86_400), ("an hour", 3_600), ("1mo", 2_592_000),
      ("3 Months", 7_776_000), ("90 minutes", 5_400), ("1 week", 604_800),
    ] as [(String, Int64)])
  func `a length has a number and a unit`(text: String, seconds: Int64) throws {
    #expect(try Moment.length(text, of: "--for") == seconds)
  }

  @Test(arguments: ["", "a", "an", "d", "2", "0d", "-1d", "+1d", "a  day", "ever", "2 fortnights", "9999999d", "٢d"])
  func `an invalid length is refused with examples`(text: String) {
    let refused = #expect(throws: CommandError.self) { try Moment.length(text, of: "--for") }
    #expect(refused?.message.contains("such as 30d, 12h, 2 weeks or a day") == true)
  }

  @Test(arguments: [
    "30 february 2024", "0 july 2024", "32 july 2024", "ju 2024", "july july 2024", "last", "next", "tomorrow 2024",
    "next next friday", "july 0000", "in", "ago", "1 july 2 2024",
    "", "x", "24", "2024-13", "2024-00", "2024-02-30", "2023-02-29", "1900-02-29", "2024-07-03T24:00Z",
    "2024-07-03T12:60Z",
    "2024-07-03T12", "2024-07-03T12:00:60Z", "2024-07-03T12:00+19:00", "2024-07-03T12:00+", "2024-07-03T12:00Zx",
    "2024-7-3",
    "+d", "30d", "a year", "+9999999d", "٢٠٢٤", "2024-07-03T12:00:00.Z", "２０２４",
  ])
  func `an invalid time is refused`(text: String) {
    #expect(throws: CommandError.usage("")) { try parse(text) }
  }

  @Test(arguments: [("+02:00", 120), ("-05:30", -330), ("Z", 0), ("+0530", 330), ("+14", 840)] as [(String, Int64)])
  func `an offset is in minutes east`(text: String, minutes: Int64) throws {
    #expect(try ZoneOffset.parse(text, of: "x") == minutes)
    #expect(try ZoneOffset.parse(ZoneOffset.text(minutes), of: "x") == minutes)
  }

  @Test(arguments: ["", "2", "+", "02:00", "+02:60", "+20:00", "+2:0", "+02:00x"])
  func `an invalid offset is refused`(text: String) {
    #expect(throws: CommandError.usage("")) { try ZoneOffset.parse(text, of: "x") }
  }

  @Test(
    arguments: [
      (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (12_345_678, "12.3 MB"), (999_960, "1.0 MB"), (.max, "9.2 EB"),
    ]
      as [(Int64, String)])
  func `sizes are short`(count: Int64, text: String) {
    #expect(Words.bytes(count) == text)
  }
}
