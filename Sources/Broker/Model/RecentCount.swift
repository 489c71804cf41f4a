/// A count of recent events on the monotonic clock, by default of the last hour.
struct RecentCount {
  private let period: Duration
  private var times: [Duration] = []

  init(within period: Duration = .seconds(3600)) { self.period = period }

  static var ofDay: Self { Self(within: .seconds(24 * 3600)) }

  func allows(_ count: Int = 1, of most: Int, at now: Duration) -> Bool {
    times.count { $0 > now - period } + count <= most
  }

  mutating func note(_ count: Int = 1, at now: Duration) {
    times.removeAll { $0 <= now - period }
    times += repeatElement(now, count: count)
  }

  /// Counts events if they stay within the limit.
  mutating func take(_ count: Int = 1, of most: Int, at now: Duration) -> Bool {
    guard allows(count, of: most, at: now) else { return false }
    note(count, at: now)
    return true
  }
}
