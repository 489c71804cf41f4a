import Glibc

/// A socket file of this process, removed at the end unless another file has replaced it.
struct BoundPath: Sendable {
  private let path: String
  private let device: dev_t
  private let inode: ino_t

  init(_ path: String) {
    var facts = stat()
    let isThere = lstat(path, &facts) == 0
    self.path = path
    device = isThere ? facts.st_dev : 0
    inode = isThere ? facts.st_ino : 0
  }

  func remove() {
    var facts = stat()
    guard inode != 0, lstat(path, &facts) == 0, facts.st_dev == device, facts.st_ino == inode else { return }
    _ = unlink(path)
  }
}
