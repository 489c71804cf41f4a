package import Monitor

/// Decides whether a failing child may be started again. It has no clock: the time is an argument.
///
/// Closed: calls proceed, after a pause that doubles with each failure. Open, after too many
/// failures in the window: calls are refused until the cool-down is over. Then half-open: one call
/// tries. Its success closes the circuit, its failure opens it again.
package struct CircuitBreaker: Sendable {
  package enum Decision: Sendable, Equatable {
    /// Start it now.
    case go
    /// Start it at this moment.
    case wait(MonotonicTime)
    /// Refuse the call; try again at this moment.
    case refuse(MonotonicTime)
  }

  private let policy: RestartPolicy
  private let spread: Double
  private var failures: [MonotonicTime] = []
  private var consecutive = 0
  private var openUntil: MonotonicTime?
  /// The reason for the last failure, without private facts.
  package private(set) var reason = ""

  /// - Parameter spread: The factor by which pauses and cool-downs are longer than the policy's;
  ///   see ``RestartPolicy/spread``.
  package init(_ policy: RestartPolicy, spread: Double = 0) {
    self.policy = policy
    self.spread = spread
  }

  package var isOpen: Bool { openUntil != nil }
  /// Whether the last attempt failed.
  package var isFailing: Bool { consecutive > 0 }

  package func decide(now: MonotonicTime) -> Decision {
    if let openUntil { return now < openUntil ? .refuse(openUntil) : .go }
    guard let last = failures.last, consecutive > 0 else { return .go }
    let next = last.advanced(by: pause)
    return now < next ? .wait(next) : .go
  }

  private var pause: Duration {
    var pause = policy.firstPause
    for _ in 1..<max(consecutive, 1) where pause < policy.longestPause { pause *= 2 }
    return spread(min(pause, policy.longestPause))
  }

  private func spread(_ pause: Duration) -> Duration { spread > 0 ? pause + pause * spread : pause }

  package mutating func recordSuccess() {
    consecutive = 0
    if openUntil != nil {
      openUntil = nil
      failures = []
    }
  }

  package mutating func recordFailure(_ reason: String, now: MonotonicTime) {
    self.reason = reason
    consecutive = min(consecutive + 1, 64)
    failures.removeAll { $0.advanced(by: policy.window) <= now }
    failures.append(now)
    if openUntil != nil || failures.count >= policy.failureLimit {
      openUntil = now.advanced(by: spread(policy.coolDown))
      failures.removeFirst(max(0, failures.count - policy.failureLimit))
    }
  }
}
