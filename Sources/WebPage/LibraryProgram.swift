import Glibc
import Synchronization

/// `photobroker library add`, which lets the broker's user read a folder of the page's user by an access
/// list, and takes that back if the broker refuses the library.
enum LibraryProgram {
  /// One runs at a time: a refused one takes back the access that another one needs.
  private static let turn = Mutex(())

  /// - Throws: `refused` with the program's words, `unavailable` if it cannot be run.
  static func add(_ path: String, as library: String, socket: String) throws(PageError) {
    try turn.withLock { _ throws(PageError) in try run(path, library, socket) }
  }

  private static func run(_ path: String, _ library: String, _ socket: String) throws(PageError) {
    let missing = PageError(.unavailable, "The program photobroker cannot be run. Install it beside photobroker-web.")
    var pipe: [Int32] = [-1, -1]
    guard Glibc.pipe(&pipe) == 0 else { throw missing }
    for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(pipe[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO)
    let command = ["photobroker", "--socket", socket, "library", "add", "--yes", "--", library, path]
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child = pid_t()
    let isStarted = posix_spawn(&child, program, &actions, nil, &words, environ) == 0
    close(pipe[1])
    guard isStarted else { throw missing }
    let said = text(of: pipe[0])
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw PageError(.refused, said) }
  }

  private static var program: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = max(0, readlink("/proc/self/exe", &buffer, buffer.count - 1))
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex) + "photobroker"
  }

  /// Reads a pipe to its end and keeps the last line, which is the error.
  private static func text(of pipe: Int32) -> String {
    var (kept, piece) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
    while true {
      let count = read(pipe, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      kept = (kept + piece[..<count]).suffix(16_384)
    }
    let lines = String(decoding: kept, as: UTF8.self).split(separator: "\n")
    return lines.last.map(String.init) ?? "photobroker library add failed. Run it in a terminal."
  }
}
