import Broker
import Indexer
import Limits
import PhotoModel

/// The state of one library as its owner sees it, and the calls that watch it.
final class LibraryStatus {
  enum State: String { case indexing, online, offline }

  private(set) var state = State.indexing
  private(set) var problem: Reason?
  /// Files of the running scan.
  var progress: (done: Int, total: Int) = (0, 0)
  private let library: LibraryState
  private let broker: Broker
  private let log: Log
  private var watchers: [ObjectIdentifier: () -> Void] = [:]

  // Notices while the library is online, the most important one first. `show` adopts them.
  /// Assets that went missing many at a time.
  var missed = 0
  /// New photos without room.
  var waiting = 0
  var silentPolicy: Reason?
  var silentMapping: Reason?
  var offlineFolders: [StorageFolder] = []
  var trash: Reason?
  var storage: Reason?
  private(set) var ledger: Reason?

  init(of library: LibraryState, broker: Broker, log: Log) {
    self.library = library
    self.broker = broker
    self.log = log
  }

  func beginIndexing() {
    state = .indexing
    tellWatchers()
  }

  func goOnline() {
    problem = notice
    state = .online
    tellWatchers()
  }

  func goOffline(_ reason: Reason) {
    if state != .offline || problem != reason {
      log.warning("a library is offline", ["library": "\(library.record.name)", "reason": reason.text])
    }
    problem = reason
    state = .offline
    tellWatchers()
  }

  /// The storage opened; a scan follows.
  func storageOpened() { problem = storage }

  /// Adopts the notices, unless the library is offline.
  func show() {
    guard state != .offline else { return }
    problem = notice
    tellWatchers()
  }

  /// Adopts the result of a check of the ledger.
  func take(_ verdict: LedgerVerdict) {
    if case .damaged(let entry) = verdict {
      let damage = Reason(
        .ledgerDamaged,
        "The record of deliveries was changed or cut outside of the broker, from entry \(entry) on. Compare it with a "
          + "backup.", ["entry": "\(entry)"])
      if ledger == nil {
        log.warning("a ledger is damaged", ["library": "\(library.record.name)", "entry": "\(entry)"])
      }
      ledger = damage
    } else {
      ledger = nil
    }
    show()
  }

  private var notice: Reason? {
    if missed > 0 { return .missed(missed) }
    if waiting > 0 { return .waiting(waiting, limit: broker.bounds.photos) }
    if let silent = silentPolicy ?? silentMapping { return silent }
    if let first = offlineFolders.first {
      let count = offlineFolders.count
      let more = count > 1 ? " and \(count - 1) more" : ""
      return Reason(
        .foldersAway,
        "Folder \"\(first.path)\"\(more) is missing or cannot be read; its photos stay in the library, offline",
        ["folder": first.path, "count": "\(count)"])
    }
    guard let trash else { return storage ?? ledger }
    let count = library.trash.awaiting.count
    return Reason(
      .trashWaits,
      "\(Amount.count(count, "deleted photo")) cannot be moved to the trash yet, but no app sees them: "
        + "\(trash.text)",
      ["count": "\(count)"], parts: [trash])
  }

  // MARK: Watching

  func watch(_ connection: Connection, _ tell: @escaping () -> Void) { watchers[ObjectIdentifier(connection)] = tell }
  func unwatch(_ connection: Connection) { watchers[ObjectIdentifier(connection)] = nil }
  func tellWatchers() { for tell in watchers.values { tell() } }
}
