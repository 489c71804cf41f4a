import Broker
import CSQLite
import Glibc

/// The broker's database: its connection and write-ahead log, used on the store's thread alone.
///
/// SQLite 3.40.1 can damage a write-ahead log that two connections reset at once. A single
/// connection for all writes, reads and checkpoints, with the file locked against others, avoids
/// that and never waits for locks.
final class StateDatabase {
  let folder: StateFolder
  let options: StoreOptions

  /// Nil after a failure, until it is opened again.
  private var connection: SQLiteConnection?
  /// Whether the write-ahead log holds only this run's commits. Before that it is the last run's
  /// and needed in full: an interrupted checkpoint may have moved a part of it.
  private var isLogOurs = false
  /// Whether the log may hold failed commits, which are cut off before it is opened again.
  private var isLogDoubtful = false
  /// Frames of successful commits in the log.
  private(set) var durableFrames: Int32 = 0
  /// The log's header after the last commit, which changes when SQLite restarts the log. Nil: it
  /// could not be read.
  private var committedHeader: [UInt8]? = []
  /// Values that are read from the tables once, and forgotten at each rollback.
  var cache = Cache()

  struct Cache {
    /// Numbers of libraries.
    var libraries: [LibraryName: Int64] = [:]
    var ledgers: [Int64: LedgerState] = [:]
    /// Kept catalogues by library number; nil before the first query.
    var catalogues: [Int64: KeptCatalogue]?
  }

  init(folder: StateFolder, options: StoreOptions) {
    self.folder = folder
    self.options = options
  }

  /// The connection, opened again after a failure.
  func connected() throws(SQLiteError) -> SQLiteConnection {
    if let connection { return connection }
    if isLogDoubtful { try cutLog() }
    let opened = try SQLiteConnection(path: folder.database, fileSystem: options.fileSystem)
    opened.logFrames = durableFrames
    connection = opened
    return opened
  }

  /// Closes the connection after a failure.
  ///
  /// A COMMIT whose sync failed may still be complete in the log, and the next opening would apply
  /// it. So the log is cut back to the successful commits before that.
  func discard() {
    guard let failed = connection else { return }
    isLogDoubtful = isLogOurs
    connection = nil
    failed.close()
    cache = Cache()
  }

  /// Cuts failed commits off the log. If SQLite restarted the log since the last commit, all
  /// earlier commits are in the database, and the whole log goes. If that is unknown, the whole log
  /// stays.
  private func cutLog() throws(SQLiteError) {
    guard let header = readLogHeader() else { throw SQLiteError(.input, "the write-ahead log cannot be read") }
    if let committedHeader {
      let frameBytes: Int64 = 24 + 4_096
      let isSameLog = durableFrames > 0 && header == committedHeader
      if !isSameLog { durableFrames = 0 }
      var number: Int32 = 0
      let code = csqlite_cut_log(
        options.fileSystem, folder.log, isSameLog ? 32 + Int64(durableFrames) * frameBytes : 0, &number)
      guard code == SQLITE_OK else {
        throw SQLiteError(code: code, systemError: number, message: String(cString: sqlite3_errstr(code)))
      }
    }
    isLogDoubtful = false
  }

  /// Protects the log's present frames from a later cut.
  func noteCommitted(on connection: SQLiteConnection) {
    durableFrames = connection.logFrames
    committedHeader = readLogHeader()
  }

  /// Runs a checkpoint if the log has grown. A failure costs nothing, because the log stays.
  func checkpointIfNeeded(from frames: Int32, keepsFile: Bool = false) {
    guard durableFrames >= frames, durableFrames > 0, connection != nil else { return }
    do {
      // The file of one huge commit must not keep its length for ever.
      try checkpoint(keepsFile: keepsFile && durableFrames < 4 * options.checkpointFrames)
    } catch {
      discard()
    }
  }

  /// The number of a library.
  /// - Throws: `refused` if there is none of that name.
  func number(of library: LibraryName) throws(SQLiteError) -> Int64 {
    if let known = cache.libraries[library] { return known }
    guard let found = try optionalNumber(of: library) else { throw SQLiteError(.refused, "no such library") }
    cache.libraries[library] = found
    return found
  }

  func optionalNumber(of library: LibraryName) throws(SQLiteError) -> Int64? {
    try connected().first("SELECT id FROM libraries WHERE name = ?", .text(library.description)) { $0.integer(0) }
  }

  /// Extends the log's file to its usual length, so that commits change no file's length. Otherwise
  /// the file system would write its own journal, and other programs' data with it. SQLite does not
  /// take zeros for frames.
  func lengthenLog() {
    guard folder.canSpare(options.logBytes), let file = try? StateFile(path: folder.log) else {
      return
    }
    let (present, wanted) = (file.size, Int64(options.logBytes))
    guard present < wanted else { return }
    // In small pieces, because the memory of a large one would stay with the process.
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    for offset in stride(from: present, to: wanted, by: zeros.count) {
      guard file.write(zeros, at: offset) else { return file.cut(to: present) }
    }
    if !file.sync() { file.cut(to: present) }
  }

  /// The log's header; empty without a log, nil if it cannot be read.
  private func readLogHeader() -> [UInt8]? {
    let file = open(folder.log, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return errno == ENOENT ? [] : nil }
    defer { close(file) }
    var header = [UInt8](repeating: 0, count: 32)
    let count = pread(file, &header, header.count, 0)
    return count < 0 ? nil : Array(header.prefix(count))
  }

  /// Moves the last run's write-ahead log into the database.
  func emptyLog() throws(SQLiteError) {
    let connection = try connected()
    // Reading the schema first reveals a file that is no database.
    try connection.execute("SELECT count(*) FROM sqlite_schema")
    try checkpoint()
    isLogOurs = true
  }

  func checkpoint(keepsFile: Bool = false) throws(SQLiteError) {
    try connected().checkpoint(keepsFile: keepsFile)
    durableFrames = 0
  }

  func end() {
    connection?.close()
    connection = nil
  }
}
