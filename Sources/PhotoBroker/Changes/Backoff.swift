/// How long to wait before connecting again: twice as long each time, and never all clients at once.
struct Backoff: Sendable {
  /// The first wait.
  let first: Duration
  /// The longest wait.
  let longest: Duration
  private var next: Duration

  /// For a broker that restarts within seconds.
  static let standard = Backoff(first: .milliseconds(100), longest: .seconds(10))

  init(first: Duration, longest: Duration) {
    self.first = first
    self.longest = longest
    next = first
  }

  /// The next wait: between half of it and all of it.
  mutating func delay() -> Duration {
    defer { next = min(next * 2, longest) }
    return next * Double.random(in: 0.5...1)
  }

  /// It worked: begins anew.
  mutating func reset() { next = first }
}
