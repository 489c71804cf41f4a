import Broker
import CSQLite
import Glibc

/// A copy of the open database, made in pieces between commits.
///
/// Later commits through the same connection enter the copy too, so it holds the state at its last
/// piece. Closing the connection ends it.
final class BackupCopy {
  /// Pages per piece: 1 MiB, about a millisecond.
  private static let piecePages: Int32 = 256

  private let path: String
  private let notes: [BackupNote]
  private var target: OpaquePointer?
  private var backup: OpaquePointer?
  /// Set once all pages are copied.
  private var seal: BackupSeal?

  /// Begins a copy in a new file with mode 0600. The rest of an interrupted copy is deleted.
  init(of source: OpaquePointer, into path: String, notes: [BackupNote]) throws(SQLiteError) {
    self.path = path
    self.notes = notes
    unlink(path)
    // SQLite would create the file with a mode that depends on the process's umask.
    let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard made >= 0 else {
      throw SQLiteError(code: SQLITE_CANTOPEN, systemError: errno, message: "no file for the copy")
    }
    close(made)
    var code = sqlite3_open_v2(path, &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    if code == SQLITE_OK {
      // A copy is useless until it is complete and synced, so it needs no rollback journal.
      code = sqlite3_exec(target, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nil, nil, nil)
    }
    if code == SQLITE_OK { backup = sqlite3_backup_init(target, "main", source, "main") }
    guard backup != nil else { throw ended(by: code == SQLITE_OK ? sqlite3_extended_errcode(target) : code) }
  }

  deinit { end() }

  /// Copies one piece.
  /// - Returns: the finished file, or nil if pieces remain.
  func step() throws(SQLiteError) -> BackupFile? {
    if let seal { return try step(seal) }
    guard let backup else { throw SQLiteError(.input, "the copy was cancelled") }
    switch sqlite3_backup_step(backup, Self.piecePages) {
    case SQLITE_OK: return nil
    case SQLITE_DONE:
      try finish()
      return nil
    case let code: throw ended(by: code)
    }
  }

  /// Drops the notes of unfinished change requests. A restore must not delete their files, which
  /// may have become photos since.
  private static let forgettingAdditions = "DELETE FROM settings WHERE name GLOB '\(SettingName.additions)*'; "

  func end() {
    if backup != nil { sqlite3_backup_finish(backup) }
    backup = nil
    guard target != nil || seal != nil else { return }
    sqlite3_close_v2(target)
    target = nil
    seal = nil
    unlink(path)
  }

  private func finish() throws(SQLiteError) {
    sqlite3_backup_finish(backup)
    backup = nil
    let code = sqlite3_exec(target, Self.forgettingAdditions + BackupNote.statements(writing: notes), nil, nil, nil)
    guard code == SQLITE_OK else { throw ended(by: code) }
    // Closed before the file is opened again: closing any descriptor of a file drops SQLite's POSIX
    // locks on it.
    guard sqlite3_close(target) == SQLITE_OK else { throw ended(by: sqlite3_extended_errcode(target)) }
    target = nil
    do throws(SQLiteError) { seal = try BackupSeal(path) } catch {
      unlink(path)
      throw error
    }
  }

  private func step(_ seal: BackupSeal) throws(SQLiteError) -> BackupFile? {
    do throws(SQLiteError) {
      guard try seal.step() else { return nil }
    } catch {
      end()
      throw error
    }
    self.seal = nil
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    let cause = errno
    var facts = stat()
    let isThere = file >= 0 && fstat(file, &facts) == 0 && fsync(file) == 0
    unlink(path)
    guard isThere else {
      if file >= 0 { close(file) }
      throw SQLiteError(code: SQLITE_IOERR, systemError: cause, message: "the copy could not be read back")
    }
    return BackupFile(owning: file, size: Int64(facts.st_size))
  }

  /// Ends the copy after an error.
  private func ended(by code: Int32) -> SQLiteError {
    defer { end() }
    return SQLiteError(
      code: code, systemError: sqlite3_system_errno(target), message: String(cString: sqlite3_errstr(code)))
  }
}
