import Glibc

/// Keeps a second daemon away from the state, for as long as it lives. The file names the process for people.
struct FolderLock: ~Copyable {
  private let file: StateFile

  init(_ folder: StateFolder) throws(StoreError) {
    let file = try StateFile(path: folder.lock)
    if flock(file.number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK else { throw .system("Locking the state folder", errno) }
      throw .locked(by: Int32(String(decoding: file.read(32).prefix { $0 != 0x0a }, as: UTF8.self)))
    }
    // Only people read it: a file system without room for it does not matter.
    _ = ftruncate(file.number, 0)
    _ = file.write(Array("\(getpid())\n".utf8))
    self.file = file
  }

  deinit {
    // Not left to closing: a child between its fork and its exec holds the file as well.
    _ = flock(file.number, LOCK_UN)
  }
}
