/// The schedule of restarts of a failing child.
package struct RestartPolicy: Sendable {
  /// The pause after the first failure; doubled by each further one.
  package var firstPause: Duration = .milliseconds(50)
  package var longestPause: Duration = .seconds(10)
  /// The number of failures within `window` that opens the circuit.
  package var failureLimit = 5
  package var window: Duration = .seconds(60)
  /// The time for which an open circuit refuses all calls.
  package var coolDown: Duration = .seconds(30)

  /// The greatest extra length of a child's pauses, as a fraction. Each child draws its own, so
  /// that children that failed together do not restart together.
  package var spread = 0.25

  package init() {}

  /// For workers that read hostile files. These come in dozens, each costs a restart, and innocent
  /// files must not wait long.
  package static var ofFileReaders: RestartPolicy {
    var policy = RestartPolicy()
    policy.firstPause = .milliseconds(5)
    policy.longestPause = .milliseconds(500)
    policy.failureLimit = 100
    policy.coolDown = .seconds(5)
    return policy
  }
}
