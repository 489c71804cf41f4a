import Glibc

/// The folder that holds everything durable: mode 0700, files 0600, all of the daemon's own user.
struct StateFolder {
  let path: String

  var database: String { path + "/state.db" }
  var log: String { path + "/state.db-wal" }
  var lock: String { path + "/lock" }
  /// What the floor file's name begins with; older versions knew it by that alone.
  var floor: String { path + "/epoch-floor" }
  func floor(_ epoch: String) -> String { floor + "." + epoch }
  var reserve: String { path + "/reserve" }
  /// A copy that is being made, as long as that takes.
  var backup: String { path + "/backup" }
  /// A copy that is being put in the database's place, until it is known to be sound.
  var restoring: String { path + "/state.db.restoring" }
  /// What a restore replaced: the database and its write-ahead log.
  var replaced: String { path + "/state.db.before-restore" }
  var replacedLog: String { path + "/state.db-wal.before-restore" }

  /// Makes the folder where it is missing, and checks that nobody else can read or change what is in it.
  init(path: String) throws(StoreError) {
    self.path = path
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw .system("Making the state folder \(path)", errno) }
    var facts = stat()
    guard lstat(path, &facts) == 0 else { throw .system("Looking at the state folder \(path)", errno) }
    guard facts.st_mode & S_IFMT != S_IFLNK else { throw .folderLink() }
    guard facts.st_mode & S_IFMT == S_IFDIR else { throw .folderPermissions("is not a folder") }
    guard facts.st_uid == geteuid() else { throw .folderPermissions("belongs to another user") }
    guard facts.st_mode & 0o077 == 0 else { throw .folderPermissions("can be entered by other users") }
    for file in [database, log, lock, reserve] + floors { try check(file) }
  }

  /// The floor files that are there: one, or more where a backup was laid over the folder.
  var floors: [String] {
    names.map { path + "/" + $0 }.filter { $0 == floor || $0.hasPrefix(floor + ".") }
  }

  /// What is in the folder; nothing where it cannot be read.
  var names: [String] {
    guard let listing = opendir(path) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names
  }

  /// Whether its file system could spare some room besides a quarter of a gigabyte that others may need.
  func canSpare(_ bytes: Int) -> Bool {
    var facts = statvfs()
    return statvfs(path, &facts) == 0 && UInt64(facts.f_bavail) * UInt64(facts.f_frsize) > UInt64(bytes) + (256 << 20)
  }

  /// Makes the database's file, empty, where it is missing. SQLite would make it with whatever mode the process's mask
  /// leaves; the write-ahead log takes its mode from it.
  func makeDatabase() throws(StoreError) { _ = try StateFile(path: database) }

  /// The database has nothing in it, or is not there.
  var hasNoDatabase: Bool {
    var facts = stat()
    return lstat(database, &facts) != 0 || facts.st_size == 0
  }

  /// The process that has the database open although somebody took its lock file away; nil where that cannot be seen.
  var databaseHolder: Int32? {
    let file = open(database, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // The bytes that SQLite locks.
    var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 1 << 30, l_len: 512, l_pid: 0)
    return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK) && lock.l_pid > 0 ? lock.l_pid : nil
  }

  private func check(_ file: String) throws(StoreError) {
    var facts = stat()
    guard lstat(file, &facts) == 0 else {
      if errno == ENOENT { return }
      throw .system("Looking at a file of the state", errno)
    }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw .filePermissions("is not a regular file") }
    guard facts.st_uid == geteuid() else { throw .filePermissions("belongs to another user") }
    guard facts.st_mode & 0o077 == 0 else { throw .filePermissions("can be read or written by other users") }
  }

  /// Makes the names of new files durable.
  func sync() throws(StoreError) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw .system("Opening the state folder", errno) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw .system("Syncing the state folder", errno) }
  }
}
