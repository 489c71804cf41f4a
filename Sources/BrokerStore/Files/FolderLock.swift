import Glibc

/// Locks the state folder against a second daemon. The file shows the process number to people.
struct FolderLock: ~Copyable {
  private let file: StateFile

  init(_ folder: StateFolder) throws(StoreError) {
    let file = try StateFile(path: folder.lock)
    if flock(file.number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK else { throw .system("Locking the state folder", errno) }
      throw .locked(by: Int32(String(decoding: file.read(32).prefix { $0 != 0x0a }, as: UTF8.self)))
    }
    // The number is for people only, so a full file system does not matter.
    _ = ftruncate(file.number, 0)
    _ = file.write(Array("\(getpid())\n".utf8))
    self.file = file
  }

  deinit {
    // Closing is not enough: a child between fork and exec still has the descriptor.
    _ = flock(file.number, LOCK_UN)
  }
}
