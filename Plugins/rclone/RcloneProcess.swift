import Glibc
import PluginKit

/// One run of rclone. It ends with this object.
final class RcloneProcess {
  /// Where its errors go: what it said last is looked at for what a person can do about it.
  private static let errorBytes = 4_096

  /// Not an option: whoever adds a library must not say what the broker's user runs.
  private static let program = "/usr/bin/rclone"

  private let pid: pid_t
  /// What it prints; -1 where that goes elsewhere.
  let output: Int32
  private let errors: Int32
  private let config: RcloneConfiguration
  /// The names of files that it waits for, and where they go; nil when it has them.
  private var untold: (names: String, writer: Int32)?
  private var said: [UInt8] = []
  /// What it says of what it lists; nil where nobody asks.
  private(set) var log: RcloneLog?
  private var status: Int32?

  /// - Parameters:
  ///   - input: A descriptor for its standard input; nil: the names of the step's files.
  ///   - output: A descriptor for its standard output; nil: a pipe, read from ``output``.
  ///   - log: For a step with ``RcloneLog/flags``.
  ///   - isHeld: Whether it starts, and waits then until ``tell()`` before it asks the remote for anything.
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

  /// Says which files it is about, where it does not know that yet.
  func tell() {
    guard let (names, writer) = untold else { return }
    untold = nil
    var rest = Array(names.utf8)[...]
    while !rest.isEmpty {
      // No signal where it has ended already: what it said of that is found out later.
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
    // The last one: nothing else is read from that number any more.
    if let file = config.descriptor {
      posix_spawn_file_actions_adddup2(&actions, file, RcloneConfiguration.numberInChild)
    }
    let settings = [
      "--config", config.path, "--log-level", "ERROR", "--retries", "2", "--low-level-retries", "3", "--contimeout",
      "15s", "--timeout",
      "45s",
      // What waits for a slow reader is in the remote, not here.
      "--buffer-size", "1M", "--use-mmap", "--ask-password=false",
    ]
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + settings + step.words).map { strdup($0) } + [nil]
    // A plugin's process sets no times of files.
    let variables =
      ["PATH=/usr/bin:/bin", "HOME=/nonexistent", "LANG=C.UTF-8", "RCLONE_LOCAL_NO_SET_MODTIME=true"] + config.variables
      + step.variables
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for word in words + environment { free(word) } }
    // In a group of its own, which can be ended also where this process may signal no other one by its number.
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
      throw PluginError(.unsupported, "rclone cannot be run: install the package rclone.")
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

  /// Reads what it prints, up to the end of it.
  /// - Parameter limit: Ends with `failed` where there is more.
  func readAll(limit: Int) throws(PluginError) -> [UInt8] {
    var all: [UInt8] = []
    while let piece = try readPiece() {
      all += piece
      guard all.count <= limit else { throw PluginError(.failed, "rclone prints more than it should.") }
    }
    return all
  }

  /// The next piece of what it prints; nil at its end. Blocks.
  func readPiece() throws(PluginError) -> [UInt8]? {
    while true {
      var files = [
        pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&files, 2, -1) < 0, errno != EINTR { throw PluginError(.failed, "What rclone prints cannot be read.") }
      if files[1].revents != 0 { _ = hear() }
      guard files[0].revents != 0 else { continue }
      var piece = [UInt8](repeating: 0, count: 65_536)
      let count = read(output, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw PluginError(.failed, "What rclone prints cannot be read.") }
      return count == 0 ? nil : Array(piece[..<count])
    }
  }

  /// Waits for its end.
  /// - Parameter absence: What it means that something is not there.
  /// - Throws: `offline`, `noSpace` and others, in words that name no photo and no credential.
  func finish(absence: PluginError = PluginError(.notFound, "It is not there any more.")) throws(PluginError) {
    while hear() {}
    let code = reap()
    config.keep()
    switch code {
    case 0: return
    case 3, 4: throw absence
    default: throw RcloneFailure.explain(String(decoding: said, as: UTF8.self).lowercased())
    }
  }

  /// Takes what it complains about; false at the end of it.
  private func hear() -> Bool {
    var piece = [UInt8](repeating: 0, count: Self.errorBytes)
    let count = read(errors, &piece, piece.count)
    if count < 0, errno == EINTR { return true }
    guard count > 0 else { return false }
    let complaints = log?.take(piece[..<count]) ?? Array(piece[..<count])
    said = (said + complaints).suffix(Self.errorBytes)
    return true
  }

  /// The exit code; -1 where a signal ended it.
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
    guard Glibc.pipe(&ends) == 0 else { throw PluginError(.failed, "No descriptor is left.") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// As a pipe, and no signal for who writes to one that nobody reads.
  private static func pair() throws(PluginError) -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw PluginError(.failed, "No descriptor is left.")
    }
    return (ends[0], ends[1])
  }
}
