import Limits

/// Limits for plugins that an administrator can change.
package struct PluginAllowance: Sendable, Equatable {
  /// Maximum number of photos in a library's list.
  package var listedItems = PluginLimits.listedItems
  /// Longest timeout of an answer. Most calls have a shorter one, and transfers a longer one that
  /// depends on their size.
  package var answer = PluginLimits.answerDeadline

  package init() {}

  /// Maximum memory of a library's list, by a generous estimate.
  package var listBytes: Int { listedItems * PluginLimits.listedItemBytes }

  func deadline(_ own: Duration) -> Duration { min(own, answer) }

  /// Timeout for moving files of this total size, which some storages copy.
  func deadline(moving bytes: Int64) -> Duration {
    deadline(.seconds(30)) + .seconds(max(0, bytes) / Int64(PluginLimits.uploadBytesPerSecond))
  }

  /// Timeout for adding a file of this size, once its turn has come.
  func deadline(adding bytes: Int64) -> Duration {
    answer + .seconds(max(0, bytes) / Int64(PluginLimits.uploadBytesPerSecond))
  }
}
