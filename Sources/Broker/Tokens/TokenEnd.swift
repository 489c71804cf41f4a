import PhotoModel

/// The end of a token, or the earliest of several: a wall-clock time, and a deadline on the
/// monotonic clock in case the wall clock is set back.
package struct TokenEnd {
  let time: Timestamp
  /// On the monotonic clock.
  let deadline: Duration

  package func hasCome(_ environment: any Environment) -> Bool {
    environment.now >= time || environment.monotonic >= deadline
  }

  /// The remaining time, if the wall clock is not set.
  package func left(_ environment: any Environment) -> Duration { deadline - environment.monotonic }

  /// The earlier of two.
  func or(_ other: TokenEnd) -> TokenEnd {
    TokenEnd(time: min(time, other.time), deadline: min(deadline, other.deadline))
  }
}
