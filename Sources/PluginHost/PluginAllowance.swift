import Limits

/// What plugins are held to beside what their protocol allows; an administrator's choice.
package struct PluginAllowance: Sendable, Equatable {
  /// Photos that one library's list may have.
  package var listedItems = PluginLimits.listedItems
  /// The longest that an answer is waited for. Most calls have a shorter deadline of their own;
  /// transfers have longer ones, by their size.
  package var answer = PluginLimits.answerDeadline

  package init() {}

  /// Bytes of one library's list, by a generous estimate of what its texts cost in memory.
  package var listBytes: Int { listedItems * PluginLimits.listedItemBytes }

  /// A call's deadline.
  func deadline(_ own: Duration) -> Duration { min(own, answer) }

  /// The deadline of moving files of so many bytes in all, which a storage that cannot move them copies.
  func deadline(moving bytes: Int64) -> Duration {
    deadline(.seconds(30)) + .seconds(max(0, bytes) / Int64(PluginLimits.uploadBytesPerSecond))
  }

  /// The deadline of adding a file of so many bytes, once its turn has come.
  func deadline(adding bytes: Int64) -> Duration {
    answer + .seconds(max(0, bytes) / Int64(PluginLimits.uploadBytesPerSecond))
  }
}
