/// How often a failing child is started again.
package struct RestartPolicy: Sendable {
  /// The pause after a first failure; doubled by each further one.
  package var firstPause: Duration = .milliseconds(50)
  package var longestPause: Duration = .seconds(10)
  /// So many failures within `window` open the circuit.
  package var failureLimit = 5
  package var window: Duration = .seconds(60)
  /// How long an open circuit refuses everything before one call may try again.
  package var coolDown: Duration = .seconds(30)

  package init() {}
}
