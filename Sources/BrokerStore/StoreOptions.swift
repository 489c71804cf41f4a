import Broker

/// How the store is set up. The defaults are what the daemon uses.
package struct StoreOptions: Sendable {
  /// Entries that each library's ledger keeps; the oldest make room. Default: a million.
  package var ledgerCapacity = 1_000_000
  /// Decisions that are kept of each library; the oldest make room. Of what apps and their users
  /// enter there by themselves, each user and each app has a hundredth of it, and all apps of a
  /// user a tenth, and as much of what rules answer; of libraries that are gone, and of what is
  /// about none, each user has a tenth. Default: 100,000.
  package var decisionCapacity = 100_000
  /// Removed apps of each user that are known by their names still, of those that others knew and
  /// of those that nobody else did; the oldest make room. Default: as many as the broker knows.
  package var formerAppCapacity = FormerApp.keptPerUser
  /// Decisions of each library that can be undone, and so many of what each app took from albums of
  /// others. Default: 1,000.
  package var undoCapacity = 1_000
  /// Answers to questions of each library whose words are kept; the oldest make room. A grant keeps
  /// those that it rests on. Default: 10,000.
  package var wordsCapacity = 10_000
  /// Room that is kept on the disk for taking rights away when nothing else fits. Default: 4 MiB.
  package var reserveBytes: Int64 = 4 << 20
  /// How long an entry of the ledger waits to be written, in milliseconds. Default: 500.
  package var ledgerDelayMilliseconds: Int64 = 500
  /// Size of the write-ahead log, in pages of 4 KiB, from which it is moved into the database at once, whoever waits.
  /// Default: 4,000.
  package var checkpointFrames: Int32 = 4_000
  /// The same, where nothing has been written for a tenth of a second. Default: 800.
  package var idleCheckpointFrames: Int32 = 800
  /// Length that the write-ahead log's file is given beforehand, in bytes. Default: 4 MiB.
  package var logBytes = 4 << 20
  /// SQLite's file system layer by name; nil: its default. Tests put one that fails in its place.
  package var fileSystem: String?
  /// Makes the epoch floor's name durable; nil: by syncing its folder. Tests put one that waits in its place.
  package var floorSync: (@Sendable () -> Bool)?

  package init() {}
}
