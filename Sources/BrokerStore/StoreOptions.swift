import Broker

/// Settings of the store. The daemon uses the defaults.
package struct StoreOptions: Sendable {
  /// Entries that each library's ledger keeps; newer ones displace the oldest. Default: 1,000,000.
  package var ledgerCapacity = 1_000_000
  /// Decisions kept of each library; newer ones displace the oldest. Default: 100,000.
  ///
  /// Decisions that apps and users enter themselves, or that rules make, have smaller quotas in
  /// each library. These are a hundredth for each user and each app, and a tenth for all apps of a
  /// user together. Decisions of removed libraries, and those about no library, have a tenth for
  /// each user.
  package var decisionCapacity = 100_000
  /// Removed apps of each user whose names are kept, counted separately for apps that other users
  /// knew and for the rest. Newer ones displace the oldest. Default: as many as the broker keeps.
  package var formerAppCapacity = FormerApp.keptPerUser
  /// Undoable decisions of each library, and the same number for each app's removals from other
  /// users' albums. Default: 1,000.
  package var undoCapacity = 1_000
  /// Answers to prompts of each library whose words are kept; newer ones displace the oldest. A
  /// grant keeps the words that it is based on. Default: 10,000.
  package var wordsCapacity = 10_000
  /// Disk space reserved for revocations on a full disk, in bytes. Default: 4 MiB.
  package var reserveBytes: Int64 = 4 << 20
  /// The longest wait of a ledger entry before it is written, in milliseconds. Default: 500.
  package var ledgerDelayMilliseconds: Int64 = 500
  /// Length of the write-ahead log, in pages of 4 KiB, from which a checkpoint runs at once.
  /// Default: 4,000.
  package var checkpointFrames: Int32 = 4_000
  /// Length of the log, in pages, from which a checkpoint runs after a tenth of a second without
  /// writes. Default: 800.
  package var idleCheckpointFrames: Int32 = 800
  /// Initial length of the write-ahead log's file, in bytes. Default: 4 MiB.
  package var logBytes = 4 << 20
  /// The name of SQLite's file system layer; nil: its default. Tests use one that fails.
  package var fileSystem: String?
  /// Makes the epoch floor's name durable; nil: by syncing its folder. Tests use one that waits.
  package var floorSync: (@Sendable () -> Bool)?

  package init() {}
}
