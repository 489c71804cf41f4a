/// How often something happened within the last hour, on the monotonic clock.
struct HourlyCount {
  private var times: [Duration] = []

  /// Whether it may happen so often more.
  func allows(_ count: Int = 1, of most: Int, at now: Duration) -> Bool {
    times.count { $0 > now - .seconds(3600) } + count <= most
  }

  mutating func note(_ count: Int = 1, at now: Duration) {
    times.removeAll { $0 <= now - .seconds(3600) }
    times += repeatElement(now, count: count)
  }

  /// Notes it, where it may happen so often more.
  mutating func take(_ count: Int = 1, of most: Int, at now: Duration) -> Bool {
    guard allows(count, of: most, at: now) else { return false }
    note(count, at: now)
    return true
  }
}
