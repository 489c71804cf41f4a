/// How often something happened lately, on the monotonic clock: within the last hour, unless another period is given.
struct RecentCount {
  private let period: Duration
  private var times: [Duration] = []

  init(within period: Duration = .seconds(3600)) { self.period = period }

  /// None within the last day.
  static var ofDay: Self { Self(within: .seconds(24 * 3600)) }

  /// Whether it may happen so often more.
  func allows(_ count: Int = 1, of most: Int, at now: Duration) -> Bool {
    times.count { $0 > now - period } + count <= most
  }

  mutating func note(_ count: Int = 1, at now: Duration) {
    times.removeAll { $0 <= now - period }
    times += repeatElement(now, count: count)
  }

  /// Notes it, where it may happen so often more.
  mutating func take(_ count: Int = 1, of most: Int, at now: Duration) -> Bool {
    guard allows(count, of: most, at: now) else { return false }
    note(count, at: now)
    return true
  }
}
