import Monitor

/// Allows a burst, then a fixed rate. It has no clock.
struct RateLimiter {
  /// The time after which one more event is allowed.
  private let interval: Duration
  /// The time that regains the burst except for one event.
  private let savings: Duration
  /// The time at which the full burst is there again.
  private(set) var restored = MonotonicTime(nanoseconds: 0)

  init(burst: Int, interval: Duration) {
    self.interval = interval
    savings = interval * (burst - 1)
  }

  /// The earliest time for the next event.
  var opening: MonotonicTime { restored.advanced(by: .zero - savings) }

  /// Counts an event, even before its time.
  /// - Returns: The time to wait before the event.
  @discardableResult
  mutating func take(now: MonotonicTime) -> Duration {
    defer { restored = max(restored, now).advanced(by: interval) }
    return .nanoseconds(max(0, opening.nanoseconds - now.nanoseconds))
  }
}
