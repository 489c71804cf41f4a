/// Exponential backoff between connection attempts, with jitter so that clients do not reconnect
/// together.
struct Backoff: Sendable {
  let first: Duration
  let longest: Duration
  private var next: Duration

  /// For a broker that restarts within seconds.
  static let standard = Backoff(first: .milliseconds(100), longest: .seconds(10))

  init(first: Duration, longest: Duration) {
    self.first = first
    self.longest = longest
    next = first
  }

  mutating func delay() -> Duration {
    defer { next = min(next * 2, longest) }
    return next * Double.random(in: 0.5...1)
  }

  mutating func reset() { next = first }
}
