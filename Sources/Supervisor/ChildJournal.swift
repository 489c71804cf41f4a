/// Receives events of a child for logs. Called on the threads that start and watch children:
/// implementations must return quickly.
package protocol ChildJournal: Sendable {
  func childStarted(_ process: Int32)
  /// A line of the child's error output, at most `ChildOptions.errorLineBytes` long, with control
  /// characters replaced.
  func childWrote(_ line: String, _ process: Int32)
  func childEnded(_ how: String, _ process: Int32)
  /// The kernel gave the child no user namespace, so its number of processes is not limited.
  func childIsUncounted(_ process: Int32)
  /// The kernel gave the child no process namespace; everything else is in force. Its own children
  /// can survive it if this program is killed.
  func childIsUnenclosed(_ process: Int32)
  /// An action or finding of the supervisor; the process is 0 if none runs.
  func childNoted(_ what: String, _ process: Int32)
}
