import Limits
import Testing

/// Counts and durations in messages.
@Suite struct AmountTests {
  @Test(
    arguments: [
      (-1, "1 second"), (0, "1 second"), (1, "1 second"), (59, "59 seconds"), (60, "1 minute"),
      (61, "1 minute 1 second"),
      (3_599, "59 minutes 59 seconds"), (3_601, "1 hour 1 minute"), (5_400, "1 hour 30 minutes"), (86_399, "1 day"),
      (2_592_000, "30 days"), (2_592_001, "30 days 1 hour"), (.max, "106751991167299 days 16 hours"),
    ] as [(Int64, String)])
  func `a duration has its two largest units and is rounded up`(seconds: Int64, words: String) {
    #expect(Amount.duration(seconds: seconds) == words)
  }

  @Test func `a noun agrees with its number`() {
    #expect([0, 1, 2].map { Amount.count($0, "photo") } == ["0 photos", "1 photo", "2 photos"])
    #expect(Amount.count(2, "library", "libraries") == "2 libraries")
  }
}
