/// What can be asked beside the page's own files, always by POST.
enum Route: Hashable {
  /// Trades a one-time code for a session.
  case session
  /// The broker's state, once it is another one.
  case wait
  /// Somebody is there.
  case touch
  case lock
  case thumbnail
  case preview
  /// What this machine calls users.
  case accounts
  /// A method of `io.photobroker.Admin`, one of ``PageService/methods``.
  case call(String)

  private static let named: [String: Route] = [
    "/session": .session, "/wait": .wait, "/touch": .touch, "/lock": .lock, "/thumbnail": .thumbnail,
    "/preview": .preview,
    "/accounts": .accounts,
  ]

  /// Nil for what is not here.
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
