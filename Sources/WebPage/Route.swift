/// The paths other than page files, all for POST.
enum Route: Hashable {
  /// Exchanges a one-time code, or the secret of another session, for a session.
  case session
  /// Waits for a new state of the broker.
  case wait
  /// Reports user activity.
  case touch
  /// Ends all sessions.
  case lock
  /// Ends the session soon, unless its page loads again.
  case leave
  case thumbnail
  case preview
  /// Looks up account names.
  case accounts
  /// Examines a folder of this machine, or makes it a library.
  case folder
  /// Examines a plugin's file of this machine, or installs it.
  case plugin
  /// Calls a method of `io.photobroker.Admin`, one of ``PageService/methods``.
  case call(String)

  private static let named: [String: Route] = [
    "/session": .session, "/wait": .wait, "/touch": .touch, "/lock": .lock, "/leave": .leave, "/thumbnail": .thumbnail,
    "/preview": .preview,
    "/accounts": .accounts, "/folder": .folder, "/plugin": .plugin,
  ]

  /// Nil for an unknown path.
  init?(_ path: String) {
    let prefix = "/call/"
    if let route = Self.named[path] {
      self = route
    } else if path.hasPrefix(prefix), PageService.methods.contains(String(path.dropFirst(prefix.count))) {
      self = .call(String(path.dropFirst(prefix.count)))
    } else {
      return nil
    }
  }
}
