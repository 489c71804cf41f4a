package import Broker
package import Catalogue
import Glibc
import Synchronization

/// The durable state on SQLite: one folder, one database, one thread.
///
/// Calls on the broker's thread do not block, except `close` and `write(_:)`. Answers come by
/// `runOnBroker`.
package final class SQLiteStore: Store {
  let mailbox = Mailbox()
  let ledgerQueue: LedgerQueue
  let runOnBroker: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let thread = Mutex<pthread_t?>(nil)

  private let folder: StateFolder

  private init(
    _ folder: StateFolder, _ ledgerQueue: LedgerQueue,
    _ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.folder = folder
    self.ledgerQueue = ledgerQueue
    runOnBroker = run
  }

  deinit { close() }

  /// Opens the state in a folder, or creates it, and reads all that the broker keeps in memory.
  ///
  /// If the database is older than the epoch floor beside it, `settings` has
  /// `SettingName.outsideEpochFloor`. After a run that did not end by ``close()``, every ledger
  /// gets a gap entry.
  ///
  /// - Parameters:
  ///   - directory: mode 0700 and owned by the daemon's user; created if needed. Its parent exists.
  ///   - runOnBroker: has an action run on the broker's thread. Called on the store's thread; keeps the order.
  /// - Throws: `locked`, `permissions`, `otherVersion`, `corrupt`, `full`, `input`.
  package static func open(
    directory: String, options: StoreOptions = StoreOptions(),
    runOnBroker: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) throws(StoreError) -> (SQLiteStore, StoreContents) {
    let folder = try StateFolder(path: directory)
    let lock = try FolderLock(folder)
    let reserve = try Reserve(folder, bytes: options.reserveBytes)
    let floor = try EpochFloor(folder, sync: options.floorSync)
    // Left by an interrupted restore.
    for leftover in [folder.restoring, folder.restoring + "-wal"] { unlink(leftover) }
    let isNew = folder.hasNoDatabase
    try folder.makeDatabase()
    let queue = LedgerQueue()
    let store = SQLiteStore(folder, queue, runOnBroker)
    let database = StateDatabase(folder: folder, options: options)
    let writer = Writer(
      database: database, lock: lock, floor: floor, reserve: reserve, ledgerQueue: queue, isNew: isNew)
    let contents = try writer.start()
    try folder.sync()
    let thread = try StoreThread.start(writer, store.mailbox, runOnBroker: runOnBroker)
    store.thread.withLock { $0 = thread }
    return (store, contents)
  }

  /// Writes all waiting work, ends the thread and unlocks the folder. Blocks until that is done; do
  /// not call it on the store's thread. Later commits fail with `closed`.
  package func close() {
    guard let thread = thread.withLock({ $0.take() }) else { return }
    mailbox.close()
    pthread_join(thread, nil)
  }

  package func commit(_ changes: [StoreChange], completion: @escaping (StoreFailure?) -> Void) {
    let completion = confined(completion)
    if !mailbox.put(PendingCommit(changes: changes, completion: completion)) { runOnBroker { completion(.closed()) } }
  }

  package func write(_ catalogue: Catalogue) -> KeptCatalogue? { CatalogueFile.write(catalogue, to: folder) }
  package func discard(_ written: KeptCatalogue) { CatalogueFile.remove(written, from: folder) }

  package func record(_ entry: LedgerRecord, in library: LibraryName) -> Bool {
    switch ledgerQueue.append(LedgerQueue.Entry(library: library, record: entry)) {
    case .refused: return false
    case .taken: return true
    case .first, .urgent:
      mailbox.signal()
      return true
    }
  }
}
