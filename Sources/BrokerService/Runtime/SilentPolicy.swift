import Broker

struct SilentPolicy {
  let policy: String
  private(set) var message: String
  private var failures = 0
  var isRetrySet = false
  /// Whether another policy may have replaced it, whose first answer is worth waiting for.
  var isAnother = false

  private static let firstPause = Duration.seconds(2)
  private static let longestPause = Duration.seconds(300)

  init(_ policy: String, _ message: String) { (self.policy, self.message) = (policy, message) }

  mutating func note(_ message: String) {
    self.message = message
    failures += 1
  }

  /// Backoff before the retry; it doubles each time.
  var pause: Duration { min(Self.firstPause * (1 << min(max(0, failures - 1), 10)), Self.longestPause) }
}
