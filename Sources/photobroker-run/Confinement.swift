import Foundation

/// The restricted view of the system for a program, made by bubblewrap.
///
/// Source: https://github.com/containers/bubblewrap
struct Confinement {
  /// The mount point of the served folder.
  var view: String
  /// The path where the program sees that folder.
  var place: String
  /// Folders of the caller's own libraries. The view replaces each of them that does not contain
  /// `place`.
  var libraryFolders: [String]
  /// Sockets with an owner's rights, of all brokers.
  var adminSockets: [String]
  /// The socket for apps, which stays reachable.
  var appSocket: String
  var keepsBus: Bool
  var keepsTerminal: Bool
  var environment: [String: String]

  /// bubblewrap's arguments before the program.
  var arguments: [String] {
    var words = ["--dev-bind", "/", "/", "--unshare-user", "--unshare-pid", "--proc", "/proc", "--die-with-parent"]
    if !keepsTerminal { words.append("--new-session") }
    // Hides other processes, whose /proc folders lead to files, and the folders with tokens and the
    // broker's state.
    for folder in stateFolders where exists(folder) { words += ["--tmpfs", folder] }
    // A restarted broker makes new sockets, so the whole folder is hidden.
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
    // In sorted order, outer folders first: later binds lie on top.
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

  /// The default applies if no variable names it, as under cron and su.
  private var runtimeFolder: String? {
    environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/run/user/\(getuid())"
  }

  private static func folder(_ path: String) -> String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  /// Whether a folder contains only a broker's sockets, so that it can be hidden.
  private func isBrokersOwn(_ folder: String) -> Bool {
    var facts = stat()
    let isShared = stat(folder, &facts) != 0 || facts.st_mode & S_IWOTH != 0
    return !isShared && !((environment["HOME"] ?? "") + "/").hasPrefix(folder == "/" ? "/" : folder + "/")
  }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
