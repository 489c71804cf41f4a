import Monitor

/// Rate limiter for scans after news from a storage, and for repeated waits. It allows a burst,
/// then a fixed rate, so that a storage that reports changes without end keeps neither the loop nor
/// a processor busy.
struct LookPace {
  private static let burst = 20
  private static let interval = Duration.milliseconds(250)

  private var looks = Self.burst
  private var refilledAt = MonotonicTime.now

  /// Takes one scan.
  /// - Returns: The time to wait before it.
  mutating func take(now: MonotonicTime) -> Duration {
    while looks < Self.burst, refilledAt.advanced(by: Self.interval) <= now {
      looks += 1
      refilledAt = refilledAt.advanced(by: Self.interval)
    }
    if looks == Self.burst { refilledAt = now }
    guard looks == 0 else {
      looks -= 1
      return .zero
    }
    // The next permit is taken in advance.
    refilledAt = refilledAt.advanced(by: Self.interval)
    return refilledAt.remaining(after: now)
  }
}

extension MonotonicTime {
  fileprivate func remaining(after now: MonotonicTime) -> Duration {
    .nanoseconds(max(0, nanoseconds - now.nanoseconds))
  }
}
