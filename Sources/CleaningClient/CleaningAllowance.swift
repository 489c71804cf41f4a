/// The limits of one worker.
package struct CleaningAllowance: Sendable {
  /// For one file's plan, with the wait in the queue and the worker's start.
  package var deadline = Duration.seconds(20)

  package init() {}
}
