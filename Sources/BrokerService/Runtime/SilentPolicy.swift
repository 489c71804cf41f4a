import Broker

/// A grant's album policy that did not answer when it was asked last.
struct SilentPolicy {
  let policy: String
  /// What it said, or how it failed.
  private(set) var message: String
  private var failures = 0
  /// Whether it is asked again in a while.
  var isRetrySet = false
  /// Whether another one may be in its place by now, whose first answer is worth waiting for.
  var isAnother = false

  private static let firstPause = Duration.seconds(2)
  private static let longestPause = Duration.seconds(300)

  init(_ policy: String, _ message: String) { (self.policy, self.message) = (policy, message) }

  /// It failed once more.
  mutating func note(_ message: String) {
    self.message = message
    failures += 1
  }

  /// How long to wait before it is asked again: each time twice as long.
  var pause: Duration { min(Self.firstPause * (1 << min(max(0, failures - 1), 10)), Self.longestPause) }
}
