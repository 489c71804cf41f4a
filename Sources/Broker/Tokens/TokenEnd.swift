import PhotoModel

/// When a token ends by itself, or the next of several does: at a time of the wall clock, however
/// that was set meanwhile, and no later than the clock that nobody can set says.
package struct TokenEnd {
  let time: Timestamp
  /// On the clock that nobody can set.
  let deadline: Duration

  package func hasCome(_ environment: any Environment) -> Bool {
    environment.now >= time || environment.monotonic >= deadline
  }

  /// How long until then, where nobody sets the wall clock.
  package func left(_ environment: any Environment) -> Duration { deadline - environment.monotonic }

  /// The first of two.
  func or(_ other: TokenEnd) -> TokenEnd {
    TokenEnd(time: min(time, other.time), deadline: min(deadline, other.deadline))
  }
}
