/// What plugins are held to beside what their protocol allows; an administrator's choice.
package struct PluginLimits: Sendable, Equatable {
  /// Photos that one library's list may have.
  package var listedItems = 2_000_000
  /// The longest that an answer is waited for. Most calls have a shorter deadline of their own; transfers have longer ones, by
  /// their size.
  package var answer = Duration.seconds(60)

  /// Bytes that a photo of such a list may take on average, by a generous estimate of what its texts cost in memory.
  private static let itemBytes = 512
  /// How fast an upload is at least: a deadline of a second more for so many bytes.
  private static let uploadBytesPerSecond: Int64 = 128 << 10

  package init() {}

  /// Bytes of one library's list.
  package var listBytes: Int { listedItems * Self.itemBytes }

  /// A call's deadline.
  func deadline(_ own: Duration) -> Duration { min(own, answer) }

  /// The deadline of adding a file of so many bytes, once its turn has come.
  func deadline(adding bytes: Int64) -> Duration { answer + .seconds(max(0, bytes) / Self.uploadBytesPerSecond) }
}
