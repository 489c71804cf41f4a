import Accounts
import BrokerInterface
import Glibc
import Varlink

/// A throw-away broker, and the folder that is removed with it.
struct SandboxSession {
  let script: SandboxScript
  private let folder: String
  private let daemon: SandboxChild
  private let client: BrokerClient

  private var runtime: String { folder + "/run" }
  /// The apps' socket.
  var socket: String { runtime + "/photobroker.sock" }
  var adminSocket: String { runtime + "/admin.sock" }
  /// The library's folder, with copies of the photos.
  var photos: String { folder + "/photos" }
  /// The folder for apps' tokens, apart from their tokens for other brokers.
  var appState: String { folder + "/app-state" }

  /// Blocks the signals that end a sandbox, so that `pause` receives them.
  static func holdSignals() -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    return signals
  }

  /// Starts the broker on copies of the photos, and waits until the library is online.
  ///
  /// - Parameter program: the daemon's path.
  /// - Throws: `unavailable`, `failed`, with the end of the daemon's log.
  init(_ script: SandboxScript, photos: String, program: String) throws(CommandError) {
    self.script = script
    folder = try Self.makeFolder()
    do throws(CommandError) {
      // Apps add and delete files in the library's folder, so it holds copies.
      try Subprocess.run(
        ["cp", "-a", "--", photos, folder + "/photos"], advice: "Can every file of the folder be read?")
      // The copies of a read-only folder must be writable too, to be added to and removed.
      try Subprocess.run(["chmod", "-R", "u+rwX", "--", folder + "/photos"])
      let log = open(folder + "/log", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      defer { if log >= 0 { close(log) } }
      guard log >= 0, mkdir(folder + "/run", 0o755) == 0, mkdir(folder + "/app-state", 0o700) == 0 else {
        throw .file(folder, errno)
      }
      var command = [program, "--state", folder + "/state", "--runtime", folder + "/run", "--sandbox", script.seed]
      if let clock = script.clock { command += ["--sandbox-clock", String(clock)] }
      daemon = try SandboxChild(command, log: log)
    } catch {
      Self.remove(folder)
      throw error
    }
    do throws(CommandError) {
      client = try Self.connect(folder + "/run/admin.sock", daemon)
      _ = try client.call(
        Admin.AddLibrary.self,
        .init(name: script.library, options: ["path": folder + "/photos"], offeredTo: [Int64(getuid())]))
      try client.follow(Admin.WatchLibrary.self, .init(name: script.library)) { (answer) throws(CommandError) in
        let library = answer.value.library
        guard library.state != "offline" else {
          throw CommandError(.failed, "The library is offline: \(library.problem ?? "")")
        }
        return false
      }
    } catch {
      daemon.stop()
      let said =
        (try? InputFile.bytes(of: folder + "/log", limitBytes: 1 << 20))
        .map { String(decoding: $0, as: UTF8.self).split(separator: "\n").suffix(5).joined(separator: "\n") } ?? ""
      Self.remove(folder)
      throw CommandError(error.code, error.message + (said.isEmpty ? "" : "\nThe broker said:\n" + said))
    }
  }

  private static func makeFolder() throws(CommandError) -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var name = Array(((parent.isEmpty ? "/tmp" : parent) + "/photobroker-sandbox.XXXXXX").utf8CString)
    guard mkdtemp(&name) != nil else { throw .file(parent.isEmpty ? "/tmp" : parent, errno) }
    return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func connect(_ path: String, _ daemon: SandboxChild) throws(CommandError) -> BrokerClient {
    for _ in 0..<1_500 {
      if let client = try? BrokerClient(path: path) { return client }
      if daemon.end() != nil { throw CommandError(.failed, "The sandbox's broker did not start.") }
      usleep(20_000)
    }
    throw CommandError(.unavailable, "The sandbox's broker did not answer within 30 seconds.")
  }

  private static func remove(_ folder: String) {
    try? Subprocess.run(["rm", "-rf", "--", folder])
  }

  /// Lets the person act until the command ends, or, without a command, until standard input ends.
  /// A signal ends it too.
  ///
  /// - Returns: the command's exit status, or nil without a command; 143 after a signal.
  func run(_ command: SandboxChild?, signals: sigset_t, complain: (String) -> Void) throws(CommandError) -> Int32? {
    defer { end() }
    var person = SandboxPerson(client, script)
    var ended: Int32?
    var hasEnded = false
    defer { if !hasEnded { command?.stop() } }
    while true {
      try person.act(complain)
      if let command, let status = command.end() {
        (ended, hasEnded) = (status, true)
        return ended
      }
      if Self.pause(signals) { return command == nil ? nil : 128 + SIGTERM }
      if command == nil, Self.inputHasEnded() { return nil }
    }
  }

  func end() {
    daemon.stop()
    Self.remove(folder)
  }

  /// Waits 10 ms; returns true if a signal arrived.
  private static func pause(_ signals: sigset_t) -> Bool {
    var signals = signals
    var time = timespec(tv_sec: 0, tv_nsec: 10_000_000)
    return sigtimedwait(&signals, nil, &time) > 0
  }

  private static func inputHasEnded() -> Bool {
    var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 0) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    return count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)
  }
}
