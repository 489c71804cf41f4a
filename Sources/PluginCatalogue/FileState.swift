import Glibc

/// Whether a file is the one that was looked at before.
struct FileState: Equatable, Sendable {
  private let numbers: [Int]

  /// Nil where there is no regular file.
  init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    numbers = [
      Int(facts.st_dev), Int(facts.st_ino), Int(facts.st_size), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec,
      facts.st_ctim.tv_sec,
      facts.st_ctim.tv_nsec,
    ]
  }
}
