import Broker
import Cryptography
import CSQLite
import Glibc

/// All that the store does with its database: the one connection, on the store's one thread.
///
/// SQLite 3.40.1 can damage a write-ahead log that two connections reset at once; one connection
/// that does all writing, reading and checkpointing, with the file locked against all others, keeps
/// clear of that and needs no waiting on locks.
final class Writer {
  let folder: StateFolder
  let options: StoreOptions
  let lock: FolderLock
  var floor: EpochFloor
  var reserve: Reserve
  let ledgerQueue: LedgerQueue

  /// Nil after a failure, until it could be opened again.
  var connection: Connection?
  /// Whether the write-ahead log holds nothing but what this run wrote. Until then it is the last
  /// run's, and all of it is needed: a checkpoint that was cut off may have moved a part of it.
  var isLogOurs = false
  /// Whether the write-ahead log may hold more than what succeeded, which is to be cut off before it is opened again.
  var isLogDoubtful = false
  /// Frames in the write-ahead log that belong to commits that succeeded.
  var durableFrames: Int32 = 0
  /// The log's header as it was after the last commit; it changes when SQLite begins the log anew.
  /// Nil: it could not be read.
  var committedHeader: [UInt8]? = []
  /// The greatest epoch that is durable.
  var epoch: UInt64 = 0
  /// Numbers of libraries, as far as they were asked for. Forgotten whenever something is rolled back.
  var libraries: [LibraryName: Int64] = [:]
  var ledgers: [Int64: LedgerState] = [:]
  /// The files that hold catalogues, by library's number; nil until the database was asked.
  /// Forgotten whenever something is rolled back.
  var catalogues: [Int64: KeptCatalogue]?
  /// What the log should say of the start.
  var remarks: [String] = []
  /// Whether there was no database before this start.
  let isNew: Bool
  /// What was handed out in all, by library and app.
  var deliveries: [DeliveryKey: Delivered] = [:]
  /// Decisions entered since the oldest were last let go, by library.
  var decisionsSinceTrim: [Int64: Int] = [:]
  /// The same of the piles of what others entered.
  var entriesSinceTrim: [String: Int] = [:]
  /// Whether content of removed libraries is still to be erased.
  var hasErasures = true

  init(
    folder: StateFolder, options: StoreOptions, lock: consuming FolderLock, floor: consuming EpochFloor,
    reserve: consuming Reserve, ledgerQueue: LedgerQueue, isNew: Bool
  ) {
    self.folder = folder
    self.isNew = isNew
    self.options = options
    self.lock = lock
    self.floor = floor
    self.reserve = reserve
    self.ledgerQueue = ledgerQueue
  }

  /// The connection; opened again where a failure closed it.
  func connected() throws(SQLiteError) -> Connection {
    if let connection { return connection }
    if isLogDoubtful { try cutLog() }
    let opened = try Connection(path: folder.database, fileSystem: options.fileSystem)
    opened.logFrames = durableFrames
    connection = opened
    return opened
  }

  /// Gives the connection up after a failure.
  ///
  /// A COMMIT whose sync failed can be whole in the log all the same: the next one to open it would
  /// take it for done. So that nothing of it is kept, the log is cut back to what succeeded before
  /// it is opened again.
  func discard() {
    guard let failed = connection else { return }
    isLogDoubtful = isLogOurs
    connection = nil
    failed.close()
    forgetCaches()
  }

  /// Where SQLite had begun the log anew since the last commit, all that was in it before is in the
  /// database already, and nothing of it is kept. Where that cannot be told, all of it is.
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

  /// What is in the log now stays, whatever fails after it.
  func noteCommitted(on connection: Connection) {
    durableFrames = connection.logFrames
    committedHeader = readLogHeader()
  }

  func forgetCaches() {
    libraries.removeAll()
    ledgers.removeAll()
    catalogues = nil
  }

  /// Moves the write-ahead log into the database when it has grown. A failure costs nothing: the log stays.
  func checkpointIfNeeded(from frames: Int32, keepsFile: Bool = false) {
    guard durableFrames >= frames, durableFrames > 0, let connection else { return }
    do {
      // One huge commit must not take the room for ever.
      try connection.checkpoint(keepsFile: keepsFile && durableFrames < 4 * options.checkpointFrames)
      durableFrames = 0
    } catch {
      discard()
    }
  }

  /// The number of a library.
  /// - Throws: `refused` where there is none of that name.
  func number(of library: LibraryName) throws(SQLiteError) -> Int64 {
    if let known = libraries[library] { return known }
    guard let found = try optionalNumber(of: library) else { throw SQLiteError(.refused, "no such library") }
    libraries[library] = found
    return found
  }

  func optionalNumber(of library: LibraryName) throws(SQLiteError) -> Int64? {
    let statement = try connected().statement("SELECT id FROM libraries WHERE name = ?")
    defer { statement.reset() }
    try statement.bind(.text(library.description), at: 1)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Gives the write-ahead log the length that it has in use anyway, so that the next commits
  /// change no file's length: the file system would have to write its own journal, and with it what
  /// other programs wrote. Zeros are no frames to SQLite.
  func lengthenLog() {
    guard reserve.isWhole, folder.canSpare(options.logBytes), let file = try? StateFile(path: folder.log) else {
      return
    }
    let (present, wanted) = (file.size, Int64(options.logBytes))
    guard present < wanted else { return }
    // In small pieces: the memory of a large one would stay with the process.
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    for offset in stride(from: present, to: wanted, by: zeros.count) {
      guard file.write(zeros, at: offset) else { return file.cut(to: present) }
    }
    if !file.sync() { file.cut(to: present) }
  }

  /// Nil: it could not be read. Without a log it is empty.
  private func readLogHeader() -> [UInt8]? {
    let file = open(folder.log, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return errno == ENOENT ? [] : nil }
    defer { close(file) }
    var header = [UInt8](repeating: 0, count: 32)
    let count = pread(file, &header, header.count, 0)
    return count < 0 ? nil : Array(header.prefix(count))
  }
}
