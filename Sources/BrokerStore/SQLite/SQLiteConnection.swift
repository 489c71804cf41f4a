import CSQLite

/// The only connection to the database, for one thread at a time. It closes without a checkpoint.
final class SQLiteConnection: Querying {
  private let database: OpaquePointer
  private let logFrameCell: UnsafeMutablePointer<Int32>
  private var statements: [String: Statement] = [:]
  private var isOpen = true
  /// A backup that is being made; it ends with the connection.
  var backup: BackupCopy?

  /// Opens or creates a database and locks it against all other processes until it is closed. So no
  /// shared memory is needed, and a checkpoint never waits.
  init(path: String, fileSystem: String?) throws(SQLiteError) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &handle, flags, fileSystem)
    guard code == SQLITE_OK, let handle else {
      let error = SQLiteError(
        code: code, systemError: handle.map { sqlite3_system_errno($0) } ?? 0,
        message: String(cString: sqlite3_errstr(code)))
      sqlite3_close_v2(handle)
      throw error
    }
    database = handle
    logFrameCell = .allocate(capacity: 1)
    logFrameCell.initialize(to: 0)
    csqlite_watch_log(database, logFrameCell)
    // A hostile file must not run code by its schema.
    for (verb, on) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
      (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
      (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
    ] { try check(csqlite_set_switch(database, Int32(verb), Int32(on))) }
    try execute("PRAGMA locking_mode = EXCLUSIVE")
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = FULL")
    try execute("PRAGMA temp_store = MEMORY")
    // Erased content is overwritten, not only unlinked.
    try execute("PRAGMA secure_delete = ON")
    try execute("PRAGMA cell_size_check = ON")
  }

  deinit {
    close()
    logFrameCell.deallocate()
  }

  /// Closes the file at once, without a checkpoint. Later calls fail.
  func close() {
    guard isOpen else { return }
    isOpen = false
    backup?.end()
    backup = nil
    for statement in statements.values { statement.finalize() }
    statements.removeAll()
    sqlite3_close(database)
  }

  /// Frames in the write-ahead log after the last commit.
  var logFrames: Int32 {
    get { logFrameCell.pointee }
    set { logFrameCell.pointee = newValue }
  }

  func connected() -> SQLiteConnection { self }

  func each(
    _ query: String, _ values: [SQLiteValue], body: (Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let statement = try statement(query, values)
    defer { statement.reset() }
    while try statement.step() { try body(statement) }
  }

  func execute(_ text: String) throws(SQLiteError) {
    guard isOpen else { throw .closed() }
    try check(sqlite3_exec(database, text, nil, nil, nil))
  }

  /// A prepared, cached statement, reset and with these values. Finish with it before you ask for the
  /// same text again.
  func statement(_ text: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Statement {
    let statement = try prepared(text)
    for (offset, value) in values.enumerated() { try statement.bind(value, at: offset + 1) }
    return statement
  }

  private func prepared(_ text: String) throws(SQLiteError) -> Statement {
    guard isOpen else { throw .closed() }
    if let known = statements[text] {
      known.reset()
      return known
    }
    var handle: OpaquePointer?
    try check(sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil))
    guard let handle else { throw SQLiteError(.input, "empty statement") }
    let made = Statement(handle, of: database)
    statements[text] = made
    return made
  }

  /// Runs a statement with these values.
  /// - Returns: the number of changed rows.
  @discardableResult
  func run(_ text: String, _ values: SQLiteValue...) throws(SQLiteError) -> Int { try run(text, values) }

  @discardableResult
  func run(_ text: String, _ values: [SQLiteValue]) throws(SQLiteError) -> Int {
    try statement(text, values).run()
    return Int(sqlite3_changes64(database))
  }

  var lastInserted: Int64 { isOpen ? sqlite3_last_insert_rowid(database) : 0 }

  /// Moves the write-ahead log into the database.
  /// - Parameter keepsFile: whether the log's file keeps its length and is overwritten from the
  ///   start. A commit then changes no length, and waits for its own pages only. Otherwise the file
  ///   is truncated.
  func checkpoint(keepsFile: Bool = false) throws(SQLiteError) {
    guard isOpen else { throw .closed() }
    try check(
      sqlite3_wal_checkpoint_v2(
        database, nil, keepsFile ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
    logFrames = 0
  }

  func beginBackup(into path: String, notes: [BackupNote]) throws(SQLiteError) -> BackupCopy {
    guard isOpen else { throw .closed() }
    let copy = try BackupCopy(of: database, into: path, notes: notes)
    backup = copy
    return copy
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code != SQLITE_OK else { return }
    throw SQLiteError(
      code: code, systemError: sqlite3_system_errno(database), message: String(cString: sqlite3_errmsg(database)))
  }
}

extension SQLiteError {
  fileprivate static func closed() -> SQLiteError { SQLiteError(.input, "the connection is closed") }
}
