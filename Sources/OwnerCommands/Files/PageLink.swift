import Accounts
import Glibc

/// The link file of `photobroker open`, and the page's server.
enum PageLink {
  /// POSIX_SPAWN_SETSID of spawn.h, which Swift does not see without _GNU_SOURCE.
  private static let newSession: Int16 = 0x80

  /// Writes an HTML file with mode 0600 that redirects a browser to the link.
  ///
  /// - Throws: `cannotCreate`, `failed`.
  static func write(_ link: String, into folder: String) throws(CommandError) -> String {
    let path = folder + "/photobroker-open.html"
    // An earlier file's code is used up or expired.
    unlink(path)
    var file = try NewFile(creating: path)
    try file.keep(
      """
      <!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>PhotoBroker</title>
      <script>location.replace("\(link)")</script>
      """)
    return path
  }

  /// Starts `photobroker-web` in a session of its own, so that it outlives the terminal.
  ///
  /// - Throws: `unavailable` if it is not installed.
  static func startServer(socket: String) throws(CommandError) {
    let command = [ProgramFolder.program("photobroker-web"), "--socket", socket]
    do throws(Subprocess.NotStarted) {
      _ = try Subprocess.start(command) { actions, attributes in
        posix_spawnattr_setflags(&attributes, newSession)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
          posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
      }
    } catch {
      throw CommandError(
        .unavailable, "photobroker-web is not installed: it needs libmicrohttpd when PhotoBroker is built.")
    }
  }

  /// This user and host in ssh's notation.
  static func here() -> String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
    return (user.map { $0 + "@" } ?? "") + (host.isEmpty ? "HOST" : host)
  }
}
