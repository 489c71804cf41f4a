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

  @Test func `a time without an offset is in the machine's time zone`() throws {
    let before = getenv("TZ").map { String(cString: $0) }
    setenv("TZ", "Europe/Berlin", 1)
    tzset()
    defer {
      if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
      tzset()
    }
    #expect(try parse("2024-07-03") == parse("2024-07-03T00:00+02:00"))
    #expect(try parse("2024-01") == parse("2024-01-01T00:00+01:00"))
    #expect(try parse("2024") == parse("2023-12-31T23:00Z"))
    #expect(Words.moment(1_720_008_306_000_000) == "2024-07-03T14:05:06+02:00")
    #expect(Words.moment(-1) == "1970-01-01T00:59:59+01:00")
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

  @Test(
    arguments: [
      ("30d", 2_592_000), ("2 weeks", 1_209_600), ("a day", 86_400), ("an hour", 3_600), ("1mo", 2_592_000),
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
    "30 february 2024", "0 july 2024", "32 july 2024", "july", "july 24", "ju 2024", "july july 2024", "last", "next",
    "last week", "tomorrow 2024", "next next friday", "july 0000", "in", "ago", "1 july 2 2024",
    "", "x", "24", "2024-13", "2024-00", "2024-02-30", "2023-02-29", "1900-02-29", "2024-07-03T24:00Z",
    "2024-07-03T12:60Z",
    "2024-07-03T12", "2024-07-03T12:00:60Z", "2024-07-03T12:00+19:00", "2024-07-03T12:00+", "2024-07-03T12:00Zx",
    "2024-7-3",
    "+d", "+1y", "30d", "+9999999d", "٢٠٢٤", "2024-07-03T12:00:00.Z", "２０２４",
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
