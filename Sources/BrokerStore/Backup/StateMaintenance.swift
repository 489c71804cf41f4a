import Broker
import CSQLite
import Glibc

/// Restores a backup into the state folder of a stopped daemon.
package enum StateMaintenance {
  package struct Restored: Sendable, Equatable {
    /// The backup's notes about files beside the state.
    package let notes: [BackupNote]
    /// The restrictions that were taken over from the replaced state; nil if it could not be read,
    /// or did not exist.
    package let merged: RestoreMerge?
    /// Whether the backup had a seal, and matches it. Damage to an unsealed backup may go
    /// unnoticed.
    package let isSealed: Bool
  }

  /// Replaces the state by a backup (R144).
  ///
  /// The backup is first checked for damage in a copy, and by its digest if it has one. The present
  /// state is untouched until that succeeds. It stays beside the restored one as
  /// `state.db.before-restore`. After several restores without a start of the daemon, that file
  /// stays the state that the first of them replaced.
  ///
  /// The epoch floor stays, so that rights that were revoked after the backup do not come back. If
  /// there are any, the next start pauses every grant, and withdraws everything else that gives
  /// access. On another machine revocations cannot be known, so all access waits for its owner.
  ///
  /// If the replaced state can be read, its restrictions are kept (``RestoreMerge``). Otherwise no
  /// grant can be resumed before its owner confirms the marks.
  ///
  /// - Parameters:
  ///   - source: the backup, as an open file or pipe at its beginning. It stays the caller's.
  ///   - limitBytes: the limit of the backup's size.
  /// - Throws: `locked` while a daemon runs, `permissions`, `otherVersion`, `corrupt` unless it is
  ///   a sound backup, `full`, `input`.
  package static func restore(from source: Int32, into directory: String, limitBytes: Int64 = 1 << 40)
    throws(StoreError) -> Restored
  {
    let folder = try StateFolder(path: directory)
    let lock = try lock(folder)
    defer { _ = lock }
    do throws(StoreError) {
      try copy(source, to: folder.restoring, limitBytes: limitBytes)
      let isSealed = try ofBackup { () throws(StoreError) in try BackupSeal.take(from: folder.restoring) }
      let notes = try ofBackup { () throws(StoreError) in try takeUp(folder.restoring) }
      try beginViews(folder)
      let merged = try merge(folder)
      try replace(folder)
      return Restored(notes: notes, merged: merged, isSealed: isSealed)
    } catch {
      unlink(folder.restoring)
      unlink(folder.restoring + "-wal")
      throw error
    }
  }

  /// - Throws: `locked` while a daemon runs, even if its lock file was deleted.
  private static func lock(_ folder: StateFolder) throws(StoreError) -> FolderLock {
    let lock = try FolderLock(folder)
    if let holder = folder.databaseHolder { throw .locked(by: holder) }
    return lock
  }

  /// - Throws: as `body`, with a message about the backup if that is damaged.
  private static func ofBackup<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    do throws(StoreError) { return try body() } catch {
      guard error.code == .corrupt else { throw error }
      throw StoreError(
        .corrupt,
        "This is not a backup of the broker, or it is damaged. The state is unchanged. Give a file that photobroker "
          + "backup made."
      )
    }
  }

  /// Opens a backup's database, reads it as a start does, and closes it with an empty write-ahead
  /// log.
  private static func takeUp(_ path: String) throws(StoreError) -> [BackupNote] {
    let connection: SQLiteConnection
    do throws(SQLiteError) { connection = try SQLiteConnection(path: path, fileSystem: nil) } catch {
      throw StoreError(error)
    }
    defer { connection.close() }
    guard try Schema.isCurrent(connection, of: "backup") else { throw .corrupt("it is not the state of a broker") }
    try Schema.check(connection)
    do throws(SQLiteError) {
      // Kept catalogues are files beside the database, which a backup does not hold.
      try connection.execute("DELETE FROM catalogues")
      let notes = try BackupNote.take(from: connection)
      let contents = try StateReader(connection: connection).contents()
      guard contents.hasSoundSelections else { throw SQLiteError(.corrupt, "a selection cannot be read") }
      try connection.checkpoint()
      return notes
    } catch { throw StoreError(error) }
  }

  /// Starts new views of all grants, so that every older change token is invalid: apps may have
  /// seen changes that the restored state lacks.
  private static func beginViews(_ folder: StateFolder) throws(StoreError) {
    do throws(SQLiteError) {
      let restored = try SQLiteConnection(path: folder.restoring, fileSystem: nil)
      defer { restored.close() }
      try restored.execute("UPDATE grants SET view_generation = (view_generation + unixepoch()) % 4294967296")
      try restored.checkpoint()
    } catch { throw StoreError(error) }
  }

  /// Merges the present state's restrictions, and leaves a note for the next start.
  /// - Returns: nil if the present state cannot be read or has another version, perhaps the reason
  ///   for the restore.
  private static func merge(_ folder: StateFolder) throws(StoreError) -> RestoreMerge? {
    let present = lastServed(folder)
    let floor = try EpochFloor(folder)
    do throws(SQLiteError) {
      if let present {
        let restored = try SQLiteConnection(path: folder.restoring, fileSystem: nil)
        defer { restored.close() }
        do throws(SQLiteError) {
          let merged = try RestoreMerge(of: present, into: restored, beside: floor)
          try restored.checkpoint()
          return merged
        } catch {
          if error.kind == .full { throw error }
        }
      }
      let restored = try SQLiteConnection(path: folder.restoring, fileSystem: nil)
      defer { restored.close() }
      try RestoreMerge.note("0 ", in: restored)
      try restored.checkpoint()
      return nil
    } catch { throw StoreError(error) }
  }

  /// The path of the state that a daemon served last. After several restores in a row, the first of
  /// them replaced it, and it knows changes that the backups lack. Nil if it cannot be read.
  private static func lastServed(_ folder: StateFolder) -> String? {
    guard access(folder.database, F_OK) == 0 else { return nil }
    let isUnused = isUnused(folder.database) && access(folder.replaced, F_OK) == 0
    let path = isUnused ? folder.replaced : folder.database
    guard let present = try? SQLiteConnection(path: path, fileSystem: nil) else { return nil }
    defer { present.close() }
    return (try? Schema.isCurrent(present, of: "state")) ?? false ? path : nil
  }

  /// Whether no daemon has started with a database since the restore that wrote it.
  private static func isUnused(_ database: String) -> Bool {
    guard let connection = try? SQLiteConnection(path: database, fileSystem: nil) else { return false }
    defer { connection.close() }
    return (try? RestoreMerge.isNoted(in: connection)) ?? false
  }

  private static func copy(_ source: Int32, to path: String, limitBytes: Int64) throws(StoreError) {
    unlink(path)
    let file = try StateFile(path: path)
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    var total: Int64 = 0
    while true {
      let count = read(source, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system("Reading the backup", errno) }
      if count == 0 { break }
      guard file.write(Array(piece[..<count]), at: total) else { throw .system("Writing the backup's copy", errno) }
      total += Int64(count)
      guard total <= limitBytes else {
        throw StoreError(.input, "The backup is larger than \(limitBytes) bytes. Check that it is the right file.")
      }
    }
    guard file.sync() else { throw .system("Writing the backup's copy", errno) }
  }

  /// Renames the sound copy to the database's name. At every moment a complete database has that
  /// name. Until the rename it is the present one, at worst without the last commits of its log,
  /// which the epoch floor reveals.
  private static func replace(_ folder: StateFolder) throws(StoreError) {
    let hadDatabase = access(folder.database, F_OK) == 0
    let isUnused = hadDatabase && isUnused(folder.database)
    if hadDatabase, let present = try? SQLiteConnection(path: folder.database, fileSystem: nil) {
      // A damaged state, perhaps the reason for the restore, is kept as it is with its log.
      try? present.checkpoint()
      present.close()
    }
    unlink(folder.restoring + "-wal")
    // After several restores in a row, the state before the first is kept: an unused later one is
    // the copy of a backup.
    if isUnused, access(folder.replaced, F_OK) == 0 {
      unlink(folder.log)
    } else {
      try move(folder.log, to: folder.replacedLog)
      unlink(folder.replaced)
      if hadDatabase, link(folder.database, folder.replaced) != 0 {
        throw .system("Keeping the replaced state", errno)
      }
    }
    try move(folder.restoring, to: folder.database)
    try folder.sync()
  }

  private static func move(_ old: String, to new: String) throws(StoreError) {
    guard rename(old, new) == 0 || errno == ENOENT else { throw .system("Moving the backup into place", errno) }
  }
}
