import Monitor

/// Allows a burst, then a fixed rate. It has no clock.
struct RateLimiter {
  /// The time that regains one of the burst.
  private let interval: Duration
  /// The time that regains all of the burst but one.
  private let savings: Duration
  /// The time at which the full burst is there again.
  private(set) var restored = MonotonicTime(nanoseconds: 0)

  init(burst: Int, interval: Duration) {
    self.interval = interval
    savings = interval * (burst - 1)
  }

  /// The earliest time for the next one.
  var opening: MonotonicTime { restored.advanced(by: .zero - savings) }

  /// Counts one, also before its time.
  /// - Returns: The time to wait before it.
  @discardableResult
  mutating func take(now: MonotonicTime) -> Duration {
    defer { restored = max(restored, now).advanced(by: interval) }
    return .nanoseconds(max(0, opening.nanoseconds - now.nanoseconds))
  }
}
