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

  /// How much longer all pauses of one child may be, drawn once for each child, from 0 to 1: many
  /// that fail at the same moment are not to be started again at the same moment.
  package var spread = 0.25

  package init() {}
}
