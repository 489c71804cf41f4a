import CSQLite

/// A prepared statement of one ``SQLiteConnection``, which finalizes it when it closes.
final class Statement {
  private var handle: OpaquePointer?
  private let database: OpaquePointer

  init(_ handle: OpaquePointer, of database: OpaquePointer) {
    self.handle = handle
    self.database = database
  }

  /// The connection calls this before it closes. Later calls get `SQLITE_MISUSE` from SQLite.
  func finalize() {
    sqlite3_finalize(handle)
    handle = nil
  }

  func reset() {
    guard handle != nil else { return }
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  /// - Parameter index: from 1.
  func bind(_ value: SQLiteValue, at index: Int) throws(SQLiteError) {
    switch value {
    case .null: try check(sqlite3_bind_null(handle, Int32(index)))
    case .integer(let number): try check(sqlite3_bind_int64(handle, Int32(index), number))
    case .blob(let bytes):
      try check(
        bytes.withUnsafeBytes { csqlite_bind_blob(handle, Int32(index), $0.baseAddress, Int32(clamping: $0.count)) })
    case .text(var text):
      let code = text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          csqlite_bind_text(handle, Int32(index), $0.baseAddress, Int32(clamping: $0.count))
        }
      }
      try check(code)
    }
  }

  func run() throws(SQLiteError) {
    while try step() {}
    reset()
  }

  /// Moves to the next row; false at the end.
  func step() throws(SQLiteError) -> Bool {
    guard handle != nil else { throw SQLiteError(.input, "the connection is closed") }
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    let error = failure(code)
    sqlite3_reset(handle)
    throw error
  }

  // MARK: The present row; columns count from 0

  func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }
  func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }
  func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

  func text(_ column: Int) -> String {
    guard let start = sqlite3_column_text(handle, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

  /// Lends a blob's bytes until the next step.
  func withBlob<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let start = sqlite3_column_blob(handle, Int32(column))
    return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }

  func blob(_ column: Int) -> [UInt8] { withBlob(column) { [UInt8]($0) } }
  func optionalBlob(_ column: Int) -> [UInt8]? { isNull(column) ? nil : blob(column) }

  private func check(_ code: Int32) throws(SQLiteError) {
    if code != SQLITE_OK { throw failure(code) }
  }

  private func failure(_ code: Int32) -> SQLiteError {
    SQLiteError(
      code: code, systemError: sqlite3_system_errno(database), message: String(cString: sqlite3_errmsg(database)))
  }
}
