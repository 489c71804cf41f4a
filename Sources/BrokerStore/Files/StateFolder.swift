import Glibc

/// The folder of all durable state: mode 0700, files 0600, owned by the daemon's user.
struct StateFolder {
  let path: String

  var database: String { path + "/state.db" }
  var log: String { path + "/state.db-wal" }
  var lock: String { path + "/lock" }
  /// The prefix of the floor file's name. A new file has no more of it until its epoch is written.
  var floor: String { path + "/epoch-floor" }
  func floor(_ epoch: String) -> String { floor + "." + epoch }
  var reserve: String { path + "/reserve" }
  var backup: String { path + "/backup" }
  /// A backup that is being restored, until it is known to be sound.
  var restoring: String { path + "/state.db.restoring" }
  /// The database and the write-ahead log that a restore replaced.
  var replaced: String { path + "/state.db.before-restore" }
  var replacedLog: String { path + "/state.db-wal.before-restore" }

  /// Creates the folder if needed, and checks that no other user can read or change its files.
  init(path: String) throws(StoreError) {
    self.path = path
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw .system("Making the state folder \(path)", errno) }
    var facts = stat()
    guard lstat(path, &facts) == 0 else { throw .system("Reading the mode of the state folder \(path)", errno) }
    guard facts.st_mode & S_IFMT != S_IFLNK else { throw .folderLink() }
    guard facts.st_mode & S_IFMT == S_IFDIR else { throw .folderPermissions("is not a folder") }
    guard facts.st_uid == geteuid() else { throw .folderPermissions("belongs to another user") }
    guard facts.st_mode & 0o077 == 0 else { throw .folderPermissions("can be entered by other users") }
    for file in [database, log, lock, reserve] + floors { try check(file) }
  }

  /// The floor files: one, or several if a backup was copied over the folder.
  var floors: [String] {
    names.map { path + "/" + $0 }.filter { $0 == floor || $0.hasPrefix(floor + ".") }
  }

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

  /// Whether the file system has room for `bytes` and 256 MiB for others.
  func canSpare(_ bytes: Int) -> Bool {
    var facts = statvfs()
    return statvfs(path, &facts) == 0 && UInt64(facts.f_bavail) * UInt64(facts.f_frsize) > UInt64(bytes) + (256 << 20)
  }

  /// Creates an empty database file if needed. SQLite's mode would depend on the process's umask,
  /// and the write-ahead log takes its mode from this file.
  func makeDatabase() throws(StoreError) { _ = try StateFile(path: database) }

  var hasNoDatabase: Bool {
    var facts = stat()
    return lstat(database, &facts) != 0 || facts.st_size == 0
  }

  /// The process that has the database open although its lock file was deleted; nil if none is
  /// seen.
  var databaseHolder: Int32? {
    let file = open(database, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // The byte range that SQLite locks.
    var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 1 << 30, l_len: 512, l_pid: 0)
    return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK) && lock.l_pid > 0 ? lock.l_pid : nil
  }

  private func check(_ file: String) throws(StoreError) {
    var facts = stat()
    guard lstat(file, &facts) == 0 else {
      if errno == ENOENT { return }
      throw .system("Reading the mode of a state file", errno)
    }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw .filePermissions("is not a regular file") }
    guard facts.st_uid == geteuid() else { throw .filePermissions("belongs to another user") }
    guard facts.st_mode & 0o077 == 0 else { throw .filePermissions("can be read or written by other users") }
  }

  func sync() throws(StoreError) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw .system("Opening the state folder", errno) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw .system("Syncing the state folder", errno) }
  }
}
