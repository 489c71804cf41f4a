import BrokerService
import BrokerStore
import Glibc
import Supervisor
import UnixSocket

/// `photobrokerd`: arguments, sockets, and the server.
@main
enum Daemon {
  static func main() {
    switch Arguments.parse(Array(CommandLine.arguments.dropFirst())) {
    case .show(let text): say(text, to: STDOUT_FILENO)
    case .mistake(let text):
      say("photobrokerd: \(text)", to: STDERR_FILENO)
      exit(64)
    case .serve(let configuration): attempt { try serve(configuration) }
    case .restore(let file, let state): attempt { say(try Maintenance.restore(file, into: state), to: STDOUT_FILENO) }
    }
  }

  private static func attempt(_ action: () throws -> Void) {
    do { try action() } catch {
      say("photobrokerd: \(error)", to: STDERR_FILENO)
      // EX_CONFIG: the unit starts the daemon again after any other status.
      exit((error as? StoreError)?.outlastsRestarts == true ? 78 : 1)
    }
  }

  private static func serve(_ configuration: Configuration) throws {
    try BrokerServer.blockSignals()
    try BrokerServer.protectProcess()
    try ChildProcess.keepNumbersForStarts()
    Descendants.adopt()
    umask(0o077)
    var inherited = try InheritedSockets()
    let isActivated = inherited.count > 0
    let apps: Listener
    let administration: Listener
    if let first = try inherited.takeListener(named: "apps"),
      let second = try inherited.takeListener(named: "administration")
    {
      apps = first
      administration = second
    } else {
      // The inherited sockets would never be served, and clients would wait forever.
      guard !isActivated else {
        throw ServerError(
          "the sockets from the service manager (LISTEN_FDS) must be one named apps and one named administration; set "
            + "FileDescriptorName= in their units"
        )
      }
      try makeDirectory(configuration.runtimeDirectory)
      // Any user may connect; access depends on the peer's credentials.
      apps = try listen(configuration.runtimeDirectory + "/photobroker.sock")
      administration = try listen(configuration.runtimeDirectory + "/admin.sock")
    }
    defer { Descendants.settle() }
    try BrokerServer(configuration).run(apps: apps, administration: administration)
    guard !configuration.trustedPlugins.isEmpty else { return }
    Descendants.settle()
    // Calls that have not returned still use their memory. A regular exit would wait for them, or
    // free it under them.
    _exit(0)
  }

  /// Listens at a path. Retries for a second if it is in use: a child whose daemon was killed
  /// during its start may hold it for a moment.
  private static func listen(_ path: String) throws(UnixSocketError) -> Listener {
    for _ in 0..<20 {
      do throws(UnixSocketError) { return try Listener(path: path, mode: 0o666) } catch {
        guard error.code == .addressInUse else { throw error }
        usleep(50_000)
      }
    }
    return try Listener(path: path, mode: 0o666)
  }

  private static func makeDirectory(_ path: String) throws {
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
      throw ServerError("the runtime folder cannot be made (\(String(cString: strerror(errno)))): \(path)")
    }
    _ = chmod(path, 0o755)
  }

  private static func say(_ text: String, to descriptor: Int32) {
    var line = text + "\n"
    line.withUTF8 { bytes in _ = write(descriptor, bytes.baseAddress, bytes.count) }
  }
}
