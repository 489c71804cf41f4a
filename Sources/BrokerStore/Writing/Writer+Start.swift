import Broker
import CLinux
import Glibc
import PhotoModel

extension Writer {
  /// Creates the tables of a new database, or reads an old one. On a full disk it uses the reserve,
  /// so that grants can be revoked after a restart.
  func start() throws(StoreError) -> StoreContents {
    while true {
      do throws(StoreError) { return try begin() } catch {
        database.discard()
        guard error.code == .full, reserve.release() else { throw error }
      }
    }
  }

  private func begin() throws(StoreError) -> StoreContents {
    let connection: SQLiteConnection
    do {
      try database.emptyLog()
      connection = try connected()
    } catch { throw error.kind == .locked ? .locked(by: database.folder.databaseHolder) : StoreError(error) }
    try Schema.prepare(connection)
    database.noteCommitted(on: connection)
    let isQuick: Bool
    do throws(SQLiteError) {
      // After a clean end, the large tables need no check: a kept catalogue's file has a digest.
      let (wasClean, known) = (try endedCleanly(), try assets.knownCatalogues())
      isQuick = wasClean == true && !known.isEmpty
    } catch { throw StoreError(error) }
    try Schema.check(connection, exceptLarge: isQuick)
    do throws(SQLiteError) {
      try noteStart()
      database.noteCommitted(on: connection)
      var contents = try load()
      contents.remarks = remarks
      if isNew, floor.found != nil {
        contents.warnings.append(
          """
          \(database.folder.database) was missing or empty, but \(floor.path) exists. The broker starts without \
          libraries, apps and decisions. If this is wrong, stop it and restore the last backup of the state folder
          """
        )
      }
      epoch = contents.settings[SettingName.epochFloor].flatMap { UInt64($0) } ?? 0
      try compareFloor(&contents)
      database.noteCommitted(on: connection)
      try database.checkpoint()
      return contents
    } catch { throw StoreError(error) }
  }

  /// Ends a run with an empty write-ahead log and queue, so that the next start marks no gap.
  func finish() {
    ledger.queue.close()
    if !ledger.queue.isEmpty { writeWaitingLedger() }
    if ledger.queue.isEmpty, let connection = try? connected() {
      do {
        try connection.execute("UPDATE run SET ended_cleanly = 1")
        try connection.checkpoint()
      } catch {
        // The next start reads the log, and marks a gap without a clean end.
      }
    }
    database.end()
    floor.sync()
  }

  /// Marks a gap in every ledger after an unclean end: up to a second of entries may be missing.
  private func noteStart() throws(SQLiteError) {
    let connection = try connected()
    try connection.execute("BEGIN IMMEDIATE")
    let wasClean = try endedCleanly()
    if wasClean == nil {
      try connection.execute("INSERT INTO run (id, ended_cleanly, floor_inode, floor_born) VALUES (1, 0, 0, 0)")
    } else {
      try connection.execute("UPDATE run SET ended_cleanly = 0")
    }
    if wasClean == false {
      let names = try rows("SELECT name FROM libraries") { row throws(SQLiteError) in try row.library(0) }
      _ = try ledger.write(names.map { LedgerQueue.Entry(library: $0, record: .gap(at: Self.now())) })
    }
    try connection.execute("COMMIT")
  }

  /// Whether the last run ended cleanly; nil if there was none.
  private func endedCleanly() throws(SQLiteError) -> Bool? {
    try first("SELECT ended_cleanly FROM run") { row in row.integer(0) != 0 }
  }

  /// Checks whether the database is older than the epoch floor. If so, the broker pauses every
  /// grant, because rights that were revoked after the copy must not come back (R144).
  private func compareFloor(_ contents: inout StoreContents) throws(SQLiteError) {
    let none = EpochFloor.Identity(inode: 0, born: 0)
    let stored = try first("SELECT floor_inode, floor_born FROM run") { row in
      EpochFloor.Identity(inode: row.integer(0), born: row.integer(1))
    }
    let known = stored ?? none
    let isNew = known == none
    var outside = floor.found ?? 0
    // Any other floor file than the known one means that the database may be an older copy.
    if !isNew, floor.found == nil || known != floor.identity { outside = max(outside, epoch &+ 1) }
    floor.raise(to: max(outside, epoch))
    floor.sync()
    if floor.written < max(outside, epoch) || !floor.isSynced {
      contents.warnings.append(
        "the file \(floor.path) cannot be written: an older copy of the state that is put back would not be recognised")
    }
    if known != floor.identity {
      // Only after the floor is durable: a crash before that would hide the older database.
      guard floor.isSynced else { throw SQLiteError(.full, "the epoch floor could not be written") }
      try connected().run(
        "UPDATE run SET floor_inode = ?, floor_born = ?", .integer(floor.identity.inode), .integer(floor.identity.born))
    }
    if outside > epoch, !isNew {
      contents.warnings.append(
        "the state is older than the last decisions, or was restored, copied or moved. All access is paused, because "
          + "some may have been revoked meanwhile; each owner checks it and resumes it: photobroker grant resume"
      )
    }
    if outside > epoch { contents.settings[SettingName.outsideEpochFloor] = String(outside) }
  }

  private static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }
}

extension LedgerRecord {
  /// A ledger entry for an unclean end of the broker.
  static func gap(at time: Timestamp) -> LedgerRecord {
    LedgerRecord(
      time: time, app: AppIdentifier(high: 0, low: 0), accessor: Accessor(high: 0, low: 0),
      asset: AssetIdentifier(high: 0, low: 0), rendition: "", bytes: 0, isGap: true)
  }
}
