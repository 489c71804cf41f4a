import Broker
import CSQLite
import Glibc

/// Restores a backup into the state folder of a stopped daemon.
package enum StateMaintenance {
  package struct Restored: Sendable, Equatable {
    /// The backup's notes about files beside the state.
    package let notes: [BackupNote]
    /// Counts of the changes that were taken over from the replaced state; nil if it could not be
    /// read, or did not exist.
    package let carried: CarriedCount?
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
  /// If the replaced state can be read, these parts of it are kept: marks that hide assets from
  /// apps, also those of missing assets; moves into the trash and out of it; declined offers; and
  /// apps' own valid tokens.
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
      let carried = try carryOver(folder)
      if carried == nil { try noteRestore(folder) }
      try replace(folder)
      return Restored(notes: notes, carried: carried, isSealed: isSealed)
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
    let connection: Connection
    do throws(SQLiteError) { connection = try Connection(path: path, fileSystem: nil) } catch {
      throw StoreError(error)
    }
    defer { connection.close() }
    guard try Schema.isCurrent(connection, of: "backup") else { throw .corrupt("it is no state of this broker") }
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
      let restored = try Connection(path: folder.restoring, fileSystem: nil)
      defer { restored.close() }
      try restored.execute("UPDATE grants SET view_generation = (view_generation + unixepoch()) % 4294967296")
      try restored.checkpoint()
    } catch { throw StoreError(error) }
  }

  /// - Returns: nil if the present state cannot be read or has another version, perhaps the reason
  ///   for the restore.
  private static func carryOver(_ folder: StateFolder) throws(StoreError) -> CarriedCount? {
    guard let present = lastServed(folder) else { return nil }
    defer { present.close() }
    guard (try? Schema.isCurrent(present, of: "state")) ?? false else { return nil }
    let floor = try EpochFloor(folder)
    guard let declines = try? CarriedDeclines(from: present),
      let tokens = try? CarriedTokens(from: present, beside: floor),
      let parted = try? CarriedParted(from: present)
    else { return nil }
    do throws(SQLiteError) {
      let restored = try Connection(path: folder.restoring, fileSystem: nil)
      defer { restored.close() }
      guard let marks = try? CarriedMarks(from: present, into: restored) else { return nil }
      let unknown = try marks.unknown(to: restored)
      guard let assets = try? CarriedAssets(unknown, from: present) else { return nil }
      var count = try marks.put(into: restored)
      let taken = try assets.put(into: restored)
      marks.count(taken, lost: Set(unknown).subtracting(taken), into: &count)
      guard let files = try? CarriedFiles(of: marks.known(to: restored), from: present),
        let joined = try files.put(into: restored)
      else { return nil }
      count.marked += joined
      guard let alsoMarked = try parted.put(into: restored) else { return nil }
      count.marked += alsoMarked
      count.declined = try declines.put(into: restored)
      try tokens.put(into: restored)
      try restored.checkpoint()
      return count
    } catch { throw StoreError(error) }
  }

  /// The state that a daemon served last. After several restores in a row, the first of them
  /// replaced it, and it knows changes that the backups lack. Nil if it cannot be read.
  private static func lastServed(_ folder: StateFolder) -> Connection? {
    guard access(folder.database, F_OK) == 0, let present = try? Connection(path: folder.database, fileSystem: nil)
    else { return nil }
    guard (try? CarriedTokens.isNoted(in: present)) ?? false, access(folder.replaced, F_OK) == 0 else { return present }
    present.close()
    return try? Connection(path: folder.replaced, fileSystem: nil)
  }

  /// Marks the restored state as unused; the next start of a daemon ends that.
  private static func noteRestore(_ folder: StateFolder) throws(StoreError) {
    do throws(SQLiteError) {
      let restored = try Connection(path: folder.restoring, fileSystem: nil)
      defer { restored.close() }
      try CarriedTokens().put(into: restored)
      try restored.checkpoint()
    } catch { throw StoreError(error) }
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
        throw StoreError(.input, "The backup is larger than \(limitBytes) bytes; is it the right file?")
      }
    }
    guard file.sync() else { throw .system("Writing the backup's copy", errno) }
  }

  /// Renames the sound copy to the database's name. At every moment a complete database has that
  /// name. Until the rename it is the present one, at worst without the last commits of its log,
  /// which the epoch floor reveals.
  private static func replace(_ folder: StateFolder) throws(StoreError) {
    let hadDatabase = access(folder.database, F_OK) == 0
    var isUnused = false
    if hadDatabase, let present = try? Connection(path: folder.database, fileSystem: nil) {
      isUnused = (try? CarriedTokens.isNoted(in: present)) ?? false
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
        throw .system("Keeping what the backup replaces", errno)
      }
    }
    try move(folder.restoring, to: folder.database)
    try folder.sync()
  }

  private static func move(_ old: String, to new: String) throws(StoreError) {
    guard rename(old, new) == 0 || errno == ENOENT else { throw .system("Putting the backup in its place", errno) }
  }
}
