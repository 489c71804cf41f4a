import Foundation

/// What a program is shown in place of what it could otherwise reach, done by bubblewrap.
///
/// Source: https://github.com/containers/bubblewrap
struct Confinement {
  /// Where the served folder is mounted.
  var view: String
  /// Where the program finds it.
  var place: String
  /// Folders of the caller's own libraries; the view is in place of each below which `place` is not.
  var libraryFolders: [String]
  /// Sockets that give an owner's rights, of whichever broker.
  var adminSockets: [String]
  /// The socket for apps, which stays within reach.
  var appSocket: String
  var keepsBus: Bool
  var keepsTerminal: Bool
  var environment: [String: String]

  /// bubblewrap's own words, up to the program.
  var arguments: [String] {
    var words = ["--dev-bind", "/", "/", "--unshare-user", "--unshare-pid", "--proc", "/proc", "--die-with-parent"]
    if !keepsTerminal { words.append("--new-session") }
    // Other processes' view of the files is out of reach with their pids, tokens and the broker's own state with these.
    for folder in stateFolders where exists(folder) { words += ["--tmpfs", folder] }
    // A broker that starts anew makes its sockets anew: only the folder stays hidden.
    let sockets = adminSockets.filter(exists)
    for folder in Set(sockets.map(Self.folder)).sorted() where isBrokersOwn(folder) { words += ["--tmpfs", folder] }
    for socket in sockets where !isBrokersOwn(Self.folder(socket)) { words += ["--ro-bind", "/dev/null", socket] }
    if exists(appSocket) { words += ["--bind", appSocket, appSocket] }
    if !keepsBus {
      words += ["--unsetenv", "DBUS_SESSION_BUS_ADDRESS"]
      if let runtime = runtimeFolder {
        if exists(runtime + "/bus") { words += ["--ro-bind", "/dev/null", runtime + "/bus"] }
        if exists(runtime + "/systemd") { words += ["--tmpfs", runtime + "/systemd"] }
      }
    }
    // The outer ones first: what is bound later lies on top.
    for folder in Set(libraryFolders).sorted() where exists(folder) { words += ["--ro-bind", view, folder] }
    if !libraryFolders.contains(place) { words += ["--ro-bind", view, place] }
    return words
  }

  private var stateFolders: [String] {
    let home = environment["HOME"] ?? ""
    let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
    return [state + "/photobroker", runtimeFolder.map { $0 + "/photobroker" }].compactMap { $0 }.filter {
      $0.hasPrefix("/")
    }
  }

  /// Also where nothing names it, as below cron and su.
  private var runtimeFolder: String? {
    environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/run/user/\(getuid())"
  }

  private static func folder(_ path: String) -> String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  /// Whether nothing else than a broker's sockets is lost with a folder.
  private func isBrokersOwn(_ folder: String) -> Bool {
    var facts = stat()
    let isShared = stat(folder, &facts) != 0 || facts.st_mode & S_IWOTH != 0
    return !isShared && !((environment["HOME"] ?? "") + "/").hasPrefix(folder == "/" ? "/" : folder + "/")
  }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
