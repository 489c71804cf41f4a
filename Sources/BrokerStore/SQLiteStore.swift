package import Broker
package import Catalogue
import Glibc
import Synchronization

/// The durable state on SQLite: one folder, one database, one thread.
///
/// Everything may be called from the broker's thread and never blocks it; answers come by `runOnBroker`.
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

  /// Opens the state in a folder, making it where there is none, and reads what the broker keeps in memory.
  ///
  /// Where the database is older than the epoch floor beside it, `settings` says so under
  /// `SettingName.outsideEpochFloor`. A run that did not end by ``close()`` leaves a mark in every ledger.
  ///
  /// - Parameters:
  ///   - directory: mode 0700 and the daemon's own, made where it is missing; its parent exists.
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
    // Of a restore that did not come to its end.
    for leftover in [folder.restoring, folder.restoring + "-wal"] { unlink(leftover) }
    let isNew = folder.hasNoDatabase
    try folder.makeDatabase()
    let queue = LedgerQueue()
    let store = SQLiteStore(folder, queue, runOnBroker)
    let writer = Writer(
      folder: folder, options: options, lock: lock, floor: floor, reserve: reserve, ledgerQueue: queue, isNew: isNew)
    let contents = try writer.start()
    try folder.sync()
    let thread = try StoreThread.start(writer, store.mailbox, runOnBroker: runOnBroker)
    store.thread.withLock { $0 = thread }
    return (store, contents)
  }

  /// Writes what waits, ends the thread and gives the folder free. Blocks until that is done; call it from any other
  /// thread than the store's. Commits given later fail with `closed`.
  package func close() {
    guard let thread = thread.withLock({ $0.take() }) else { return }
    mailbox.close()
    pthread_join(thread, nil)
  }

  package func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreFailure?) -> Void) {
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
