import Monitor

/// How often a storage that says that something changed is looked at, or asked again where it says
/// too early that nothing did: a few times at once, then so many in a second. One that says so
/// without end would otherwise keep the loop and a processor busy. No clock of its own.
struct LookPace {
  private static let burst = 20
  private static let interval = Duration.milliseconds(250)

  private var looks = Self.burst
  private var refilledAt = MonotonicTime.now

  /// Takes one look.
  /// - Returns: How long to wait before it.
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
    // The one that comes next is taken before it is there.
    refilledAt = refilledAt.advanced(by: Self.interval)
    return refilledAt.remaining(after: now)
  }
}

extension MonotonicTime {
  fileprivate func remaining(after now: MonotonicTime) -> Duration {
    .nanoseconds(max(0, nanoseconds - now.nanoseconds))
  }
}
