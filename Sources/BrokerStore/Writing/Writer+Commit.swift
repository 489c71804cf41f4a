import Broker
import CSQLite

struct PendingCommit: Sendable {
  let changes: [StoreChange]
  let completion: @Sendable (StoreFailure?) -> Void
}

extension Writer {
  /// Writes a group of commits in one transaction, with a piece of the waiting ledger entries. A
  /// commit that contradicts the stored state fails alone. The answers are in order.
  func write(_ group: [PendingCommit]) -> [StoreFailure?] {
    reserve.refill()
    guard reserve.isWhole else {
      ledger.queue.refuse()
      return group.map { writeOnFullDisk($0.changes, mayGive: false) }
    }
    do {
      return try transact(group.map(\.changes), withLedger: true)
    } catch {
      database.discard()
      // A failed disk cannot be helped by smaller transactions.
      guard error.kind == .full else { return group.map { _ in StoreFailure(error) } }
    }
    // One commit may be too large, or the write-ahead log may hold the missing space.
    if (try? connected()) != nil { database.checkpointIfNeeded(from: 1) }
    writeWaitingLedger()
    // While deliveries cannot be recorded, no further access is given.
    let mayGive = ledger.queue.isEmpty
    return group.map { writeOnFullDisk($0.changes, mayGive: mayGive) }
  }

  /// Writes all waiting ledger entries. After a failure the queue refuses more.
  func writeWaitingLedger() {
    repeat { writeLedgerPiece() } while !ledger.queue.isEmpty && !ledger.queue.isRefusing
  }

  /// Writes one piece of the waiting ledger entries, short enough for a commit to wait for.
  func writeLedgerPiece() {
    reserve.refill()
    guard reserve.isWhole else { return ledger.queue.refuse() }
    do { _ = try transact([], withLedger: true) } catch { database.discard() }
  }

  /// Writes a commit on a full disk. Only commits that take rights away may use the reserve.
  private func writeOnFullDisk(_ changes: [StoreChange], mayGive: Bool) -> StoreFailure? {
    let isNarrowing = isNarrowing(changes)
    guard isNarrowing || mayGive else { return .full() }
    while true {
      do {
        return try transact([changes], withLedger: false)[0]
      } catch {
        database.discard()
        guard error.kind == .full, isNarrowing, reserve.release() else { return StoreFailure(error) }
      }
    }
  }

  /// Whether a commit takes rights away, and so must not depend on space that others can use up.
  /// Commits that apps cause do not count: the removal of an app to make room for another, and an
  /// app's changes of a library's content. Apps could use up the reserve with them.
  private func isNarrowing(_ changes: [StoreChange]) -> Bool {
    var (takes, removesApp, addsApp, changesLibrary, isDecided) = (false, false, false, false, false)
    for change in changes {
      switch change {
      case .removeApp: (takes, removesApp) = (true, true)
      case .removeLibrary, .removeGrant, .removeSelection, .revokeToken: takes = true
      case .putSetting: takes = takes || Self.epoch(in: change).map { $0 > epoch } ?? false
      case .putApp: addsApp = true
      case .appendChanges, .putAlbum, .removeAlbum: changesLibrary = true
      case .decide(let record, _, _): isDecided = isDecided || record.role != .app
      default: break
      }
    }
    return takes && !(removesApp && addsApp) && (!changesLibrary || isDecided)
  }

  /// Runs one transaction, which keeps nothing if this throws.
  private func transact(_ commits: [[StoreChange]], withLedger: Bool) throws(SQLiteError) -> [StoreFailure?] {
    let entries = withLedger ? ledger.queue.take() : []
    do throws(SQLiteError) {
      let connection = try connected()
      try connection.execute("BEGIN IMMEDIATE")
      let written = try ledger.write(entries)
      var failures: [StoreFailure?] = []
      for changes in commits {
        try connection.execute("SAVEPOINT one")
        do throws(SQLiteError) {
          try apply(changes)
          failures.append(nil)
        } catch {
          guard error.kind == .refused else { throw error }
          try connection.execute("ROLLBACK TO one")
          database.cache = .init()
          failures.append(StoreFailure(error))
        }
        try connection.execute("RELEASE one")
      }
      try connection.execute("COMMIT")
      database.noteCommitted(on: connection)
      ledger.noteDelivered(written)
      if withLedger { ledger.queue.noteWritten() }
      noteEpochs(in: zip(commits, failures).filter { $0.1 == nil }.map(\.0))
      return failures
    } catch {
      if withLedger { ledger.queue.putBack(entries) }
      throw error
    }
  }

  private func noteEpochs(in commits: [[StoreChange]]) {
    guard let latest = commits.joined().lazy.compactMap(Self.epoch).max(), latest > epoch else { return }
    epoch = latest
    floor.raise(to: latest)
  }

  private static func epoch(in change: StoreChange) -> UInt64? {
    guard case .putSetting(name: SettingName.epochFloor, let value) = change else { return nil }
    return UInt64(value)
  }
}

extension StoreFailure {
  init(_ error: SQLiteError) {
    switch error.kind {
    case .full: self = .full()
    case .refused:
      self.init(.refused, "The change conflicts with the stored state (\(error.message)). Reload, then try again.")
    case .corrupt:
      self.init(
        .corrupt, "The stored state is damaged (\(error.message)). Stop the daemon and restore the last backup.")
    case .input, .locked:
      self.init(
        .input, "The state could not be written (\(error.message)). Check the disk. The next change tries again.")
    }
  }

  static func full() -> Self {
    Self(
      .full,
      "The file system of the broker's state is full. Free space on it, then try again. Revoking access still works.")
  }

  static func closed() -> Self {
    Self(.closed, "The broker is stopping. Try again when it is back.")
  }
}
