import PhotoModel

/// The wall clock as it would be had nobody set it back while the broker ran: an end that has come stays, also for a token
/// that is shown only afterwards. A clock that was set too far ahead by mistake counts until the broker starts anew.
struct LatestTime {
  /// How far the wall clock was ahead of the one that nobody can set, at most so far.
  private var lead: Duration?

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
