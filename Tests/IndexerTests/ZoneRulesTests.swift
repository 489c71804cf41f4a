import Foundation
import Indexer
import Testing

struct ZoneRulesTests {
  private func rules(_ name: String) throws -> ZoneRules {
    try #require(ZoneRules(file: [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(name)")))))
  }

  @Test(arguments: [
    "Europe/Zurich", "Europe/Dublin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata",
    "Etc/UTC", "Etc/GMT+5",
  ]) func `R146 a named zone has Foundation's offsets from 1975 to 2060`(_ name: String) throws {
    let (rules, zone) = (try rules(name), try #require(TimeZone(identifier: name)))
    let wrong = (1_826..<32_873).map { Int64($0) * 86_400 + 40_000 }.filter { instant in
      Int(rules.offsetMinutes(at: instant)) != zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
        / 60
    }
    #expect(wrong.isEmpty, "\(name)")
  }

  @Test func `R146 a local time has that day's offset, and a repeated hour the first one`() throws {
    let rules = try rules("Europe/Zurich")
    // 2024-07-03T00:30, 2024-01-03T00:30.
    #expect(rules.offsetMinutes(atLocal: 1_719_966_600) == 120 && rules.offsetMinutes(atLocal: 1_704_241_800) == 60)
    // 2024-03-31: 01:59; 02:30, which is skipped; 03:00.
    #expect([1_711_850_340, 1_711_852_200, 1_711_854_000].map { rules.offsetMinutes(atLocal: $0) } == [60, 60, 120])
    // 2024-10-27: 01:59; 02:30, which occurs twice; 03:00.
    #expect([1_729_994_340, 1_729_996_200, 1_729_998_000].map { rules.offsetMinutes(atLocal: $0) } == [120, 120, 60])
    #expect(ZoneRules.fixed(minutes: -330).offsetMinutes(atLocal: 1_719_966_600) == -330)
    for edge in [Int64.min, .max] { #expect(abs(rules.offsetMinutes(atLocal: edge)) <= 120) }
  }

  @Test func `an invalid or truncated zone file gives no zone`() throws {
    let file = [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Zurich")))
    #expect(ZoneRules(file: []) == nil && ZoneRules(file: [UInt8]("TZif2".utf8)) == nil)
    for count in stride(from: 0, to: file.count, by: 7) {
      #expect(ZoneRules(file: [UInt8](file.prefix(count))) == nil, "\(count)")
    }
    for place in 0..<file.count {
      var other = file
      other[place] ^= 0xFF
      _ = ZoneRules(file: other)?.offsetMinutes(atLocal: 1_719_966_600)
    }
  }
}
