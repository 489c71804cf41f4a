import PhotoModel

/// The wall clock as it would be had nobody set it back: an end that has come stays, also for a
/// token that is shown only afterwards, and over starts of the broker as far as it was noted. A
/// clock that was set too far ahead by mistake counts until root has the broker trust the present
/// one (``SettingName/latestTime``).
struct LatestTime {
  /// How far the wall clock was ahead of the one that nobody can set, at most so far.
  private var lead: Duration?

  init() {}

  /// Goes on from what was noted. Since then no less time has passed than the clock that nobody can
  /// set counted on, or shows where it began anew with the machine.
  init(noted text: String, _ environment: any Environment) {
    let numbers = text.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count == 2 else { return }
    let (then, now) = (Duration.microseconds(numbers[1]), environment.monotonic)
    let passed = now >= then ? now - then : now
    lead = .microseconds(numbers[0]) + passed - now
  }

  /// For a later start.
  mutating func note(_ environment: any Environment) -> String {
    let seconds = environment.monotonic.components
    return "\(read(environment).microseconds) \(seconds.seconds * 1_000_000 + seconds.attoseconds / 1_000_000_000_000)"
  }

  /// Look at least once after each time that the clock is set ahead; between two looks the other clock counts on.
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
