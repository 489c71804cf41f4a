import CSQLite
import Glibc

/// What SQLite answered, sorted by what can be done about it. `message` names tables and columns, never values.
struct SQLiteError: Error {
  enum Kind {
    /// One change contradicts what is there: it fails alone.
    case refused
    /// The file system is full.
    case full
    /// The file is not what was written.
    case corrupt
    /// Another process has the file open.
    case locked
    /// Anything else: the connection is not used any further.
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

  /// No room, over quota, or over the largest file allowed.
  static func isFull(_ number: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }
}
