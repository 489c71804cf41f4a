/// Is told what becomes of a child, for people. Called on the threads that start and watch
/// children; what it does must be short.
package protocol ChildJournal: Sendable {
  func childStarted(_ process: Int32)
  /// A line of its error output, at most `ChildOptions.errorLineBytes` long, control characters replaced.
  func childWrote(_ line: String, _ process: Int32)
  func childEnded(_ how: String, _ process: Int32)
  /// The kernel gave it no user namespace: how many processes it has is not limited.
  func childIsUncounted(_ process: Int32)
  /// The kernel gave it no namespace for its processes, and that is all that is missing: what it
  /// starts can go on without it where this program is killed.
  func childIsUnenclosed(_ process: Int32)
  /// Something that the supervisor did or noticed; the process is 0 where none runs.
  func childNoted(_ what: String, _ process: Int32)
}
