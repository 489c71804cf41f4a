import PhotoModel

/// A wall clock that does not go back. A token or grant that ended stays ended after the clock is
/// set back, even over restarts, as far as the time was stored. A clock that was too far ahead by
/// mistake counts until root resets it (``SettingName/latestTime``).
struct LatestTime {
  /// Largest difference so far of the wall clock from the monotonic clock.
  private var lead: Duration?

  init() {}

  /// Restores a stored time. The time since then is at least the difference of the monotonic
  /// clocks, or the present monotonic time if the machine restarted.
  init(noted text: String, _ environment: any Environment) {
    let numbers = text.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count == 2 else { return }
    let (then, now) = (Duration.microseconds(numbers[1]), environment.monotonic)
    let passed = now >= then ? now - then : now
    lead = .microseconds(numbers[0]) + passed - now
  }

  /// The time to store for a later start.
  mutating func note(_ environment: any Environment) -> String {
    let seconds = environment.monotonic.components
    return "\(read(environment).microseconds) \(seconds.seconds * 1_000_000 + seconds.attoseconds / 1_000_000_000_000)"
  }

  /// The latest time. Call it at least once after each forward setting of the clock; between calls
  /// the monotonic clock counts.
  mutating func read(_ environment: any Environment) -> Timestamp {
    let (wall, monotonic) = (environment.now, environment.monotonic)
    let ahead = Duration.microseconds(wall.microseconds) - monotonic
    let known = max(lead ?? ahead, ahead)
    lead = known
    let (seconds, fraction) = (known + monotonic).components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? wall : max(wall, Timestamp(microseconds: whole + fraction / 1_000_000_000_000))
  }
}
