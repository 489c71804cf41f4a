/// How often something happened within the last hour, on the monotonic clock.
struct HourlyCount {
  private var times: [Duration] = []

  /// Whether it may happen once more.
  func allows(_ most: Int, at now: Duration) -> Bool { times.count { $0 > now - .seconds(3600) } < most }

  mutating func note(at now: Duration) {
    times.removeAll { $0 <= now - .seconds(3600) }
    times.append(now)
  }
}
