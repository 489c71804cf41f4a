import Glibc

/// State of a file, to detect a change or replacement.
struct FileState: Equatable, Sendable {
  private let numbers: [Int]

  /// Nil if the path is no regular file.
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
