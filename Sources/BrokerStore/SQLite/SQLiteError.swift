import CSQLite
import Glibc

/// An error of SQLite, classified by its remedy. `message` names tables and columns, never values.
struct SQLiteError: Error {
  enum Kind {
    /// A change contradicts the stored state; it fails alone.
    case refused
    case full
    case corrupt
    /// Another process has the file open.
    case locked
    /// Any other error: the connection is given up.
    case input
  }

  let kind: Kind
  let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// - Parameter code: the extended result code.
  init(code: Int32, systemError: Int32, message: String) {
    switch code & 0xff {
    case SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE: kind = .refused
    case SQLITE_FULL: kind = .full
    case SQLITE_BUSY: kind = .locked
    case SQLITE_CORRUPT, SQLITE_NOTADB: kind = .corrupt
    default: kind = Self.isFull(systemError) && code & 0xff == SQLITE_IOERR ? .full : .input
    }
    self.message = message
  }

  /// Whether an error means no space, an exceeded quota or a file over the size limit.
  static func isFull(_ number: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }
}
