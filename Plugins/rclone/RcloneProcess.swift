import Glibc
import PluginKit

/// One run of rclone, which ends with this object.
final class RcloneProcess {
  /// Kept length of its error output.
  private static let errorBytes = 4_096

  /// Not an option: a user who adds a library must not choose a program for the broker's user to
  /// run.
  private static let program = "/usr/bin/rclone"

  private let pid: pid_t
  /// Its standard output; -1 if the output goes elsewhere.
  let output: Int32
  private let errors: Int32
  private let config: RcloneConfiguration
  /// The names of files that it waits for, and the socket for them; nil once sent.
  private var untold: (names: String, writer: Int32)?
  private var said: [UInt8] = []
  /// The log of a listing; nil for other steps.
  private(set) var log: RcloneLog?
  private var status: Int32?

  /// - Parameters:
  ///   - input: a descriptor for standard input; nil sends the names of the step's files.
  ///   - output: a descriptor for standard output; nil makes a pipe, read from ``output``.
  ///   - log: for a step with ``RcloneLog/flags``.
  ///   - isHeld: whether the process waits for ``tell()`` before its first request to the remote.
  init(
    _ step: RcloneStep, config: RcloneConfiguration, input given: Int32? = nil, output: Int32? = nil,
    log: RcloneLog? = nil,
    isHeld: Bool = false
  ) throws(PluginError) {
    try config.refresh()
    self.config = config
    self.log = log
    var names: (reader: Int32, writer: Int32) = (-1, -1)
    if given == nil, step.names != nil { names = try Self.pair() }
    defer { if names.reader >= 0 { close(names.reader) } }
    do throws(PluginError) {
      (pid, self.output, errors) = try Self.start(
        step, config, input: given ?? (names.reader < 0 ? nil : names.reader), output: output)
    } catch {
      if names.writer >= 0 { close(names.writer) }
      throw error
    }
    if let text = step.names, names.writer >= 0 { untold = (text, names.writer) }
    if !isHeld { tell() }
  }

  /// Sends the names of the files, once.
  func tell() {
    guard let (names, writer) = untold else { return }
    untold = nil
    var rest = Array(names.utf8)[...]
    while !rest.isEmpty {
      // No SIGPIPE if the process has ended; `finish` reports its error.
      let count = rest.withUnsafeBytes { send(writer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    close(writer)
  }

  private static func start(
    _ step: RcloneStep, _ config: RcloneConfiguration, input: Int32?, output given: Int32?
  ) throws(PluginError) -> (pid: pid_t, output: Int32, errors: Int32) {
    var printed: (reader: Int32, writer: Int32) = (-1, -1)
    if given == nil { printed = try pipe() }
    let complaints = try pipe()
    defer {
      if printed.writer >= 0 { close(printed.writer) }
      close(complaints.writer)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, given ?? printed.writer, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, complaints.writer, STDERR_FILENO)
    // Last, because it overwrites a descriptor number that an earlier action may read.
    if let file = config.descriptor {
      posix_spawn_file_actions_adddup2(&actions, file, RcloneConfiguration.numberInChild)
    }
    let settings = [
      "--config", config.path, "--log-level", "ERROR", "--retries", "2", "--low-level-retries", "3", "--contimeout",
      "15s", "--timeout",
      "45s",
      // Bytes for a slow reader wait on the remote, not in memory.
      "--buffer-size", "1M", "--use-mmap", "--ask-password=false",
    ]
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + settings + step.words).map { strdup($0) } + [nil]
    // A plugin's process may not set file times. Links could lead a listing in circles. The table of character
    // widths for rclone's terminal views takes two fifths of its start.
    let variables =
      [
        "PATH=/usr/bin:/bin", "HOME=/nonexistent", "LANG=C.UTF-8", "RCLONE_LOCAL_NO_SET_MODTIME=true",
        "RCLONE_SFTP_SKIP_LINKS=true", "TCELL_MINIMIZE=1",
      ] + config.variables + step.variables
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for word in words + environment { free(word) } }
    // A process group can be killed even if this process may not signal others by number.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    var child = pid_t()
    let cause = posix_spawn(&child, program, &actions, &attributes, &words, &environment)
    guard cause == 0 else {
      if printed.reader >= 0 { close(printed.reader) }
      close(complaints.reader)
      throw PluginError(.unsupported, "rclone cannot be run. Install the package rclone.")
    }
    return (child, printed.reader, complaints.reader)
  }

  deinit {
    if status == nil {
      kill(-pid, SIGKILL)
      _ = reap()
    }
    config.keep()
    if let untold { close(untold.writer) }
    if output >= 0 { close(output) }
    close(errors)
  }

  /// Reads the whole output.
  /// - Parameter limit: maximum number of bytes; more throw `failed`.
  func readAll(limit: Int) throws(PluginError) -> [UInt8] {
    var all: [UInt8] = []
    while let piece = try readPiece() {
      all += piece
      guard all.count <= limit else {
        throw PluginError(.failed, "rclone printed too much. Run the same command by hand to see it.")
      }
    }
    return all
  }

  /// Reads the next piece of output; nil at the end. Blocks.
  func readPiece() throws(PluginError) -> [UInt8]? {
    while true {
      var files = [
        pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&files, 2, -1) < 0, errno != EINTR {
        throw PluginError(.failed, "rclone's output cannot be read. Try again.")
      }
      if files[1].revents != 0 { _ = hear() }
      guard files[0].revents != 0 else { continue }
      var piece = [UInt8](repeating: 0, count: 65_536)
      let count = read(output, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw PluginError(.failed, "rclone's output cannot be read. Try again.") }
      return count == 0 ? nil : Array(piece[..<count])
    }
  }

  static let fileMissing = PluginError(.notFound, "The file no longer exists. Scan the library again.")

  /// Waits until the process ends.
  /// - Parameter absence: the error for a missing file or folder.
  /// - Throws: `offline`, `noSpace` and others, without photo names and credentials.
  func finish(absence: PluginError = fileMissing) throws(PluginError) {
    while hear() {}
    let code = reap()
    config.keep()
    switch code {
    case 0: return
    case 3, 4: throw absence
    default: throw RcloneFailure.explain(String(decoding: said, as: UTF8.self).lowercased())
    }
  }

  /// Reads error output; false at its end.
  private func hear() -> Bool {
    var piece = [UInt8](repeating: 0, count: Self.errorBytes)
    let count = read(errors, &piece, piece.count)
    if count < 0, errno == EINTR { return true }
    guard count > 0 else { return false }
    let complaints = log?.take(piece[..<count]) ?? Array(piece[..<count])
    said = (said + complaints).suffix(Self.errorBytes)
    return true
  }

  /// Returns the exit code; -1 after a signal.
  private func reap() -> Int32 {
    if let status { return status }
    var raw: Int32 = 0
    while waitpid(pid, &raw, 0) < 0, errno == EINTR {}
    let code = raw & 0x7f == 0 ? raw >> 8 & 0xff : -1
    status = code
    return code
  }

  private static func pipe() throws(PluginError) -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else {
      throw PluginError(.failed, "No descriptor is left. Raise the limit of open files.")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// A socket pair instead of a pipe, because `send` can suppress SIGPIPE.
  private static func pair() throws(PluginError) -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw PluginError(.failed, "No descriptor is left. Raise the limit of open files.")
    }
    return (ends[0], ends[1])
  }
}
