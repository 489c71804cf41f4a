import Glibc

enum SocketLocation {
  /// The owners' socket of the system service.
  static let system = "/run/photobroker/admin.sock"

  /// `--socket`, else `$PHOTOBROKER_ADMIN_SOCKET`, else the user's own broker if its socket exists,
  /// else the system's.
  static func owner(_ arguments: Arguments, _ environment: [String: String]) -> String {
    if let path = arguments[.socket] { return path }
    if let path = environment["PHOTOBROKER_ADMIN_SOCKET"], !path.isEmpty { return path }
    if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
      let path = runtime + "/photobroker/admin.sock"
      if access(path, F_OK) == 0 { return path }
    }
    return system
  }

  /// `--app-socket`, else `$PHOTOBROKER_SOCKET`, else `photobroker.sock` in the owner's socket's
  /// folder.
  static func apps(_ arguments: Arguments, _ environment: [String: String]) -> String {
    if let path = arguments[.appSocket] { return path }
    if let path = environment["PHOTOBROKER_SOCKET"], !path.isEmpty { return path }
    let owner = owner(arguments, environment)
    let folder = owner.lastIndex(of: "/").map { owner[...$0] } ?? ""
    return folder + "photobroker.sock"
  }
}
