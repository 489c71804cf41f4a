import Glibc

/// The names of this machine's own accounts. They are read from /etc/passwd alone: a directory
/// service may answer late or never, and the broker's loop waits.
enum LocalAccounts {
  static func name(of user: UInt32, in path: String = "/etc/passwd") -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    while let account = fgetpwent(file) {
      if account.pointee.pw_uid == user, let name = account.pointee.pw_name { return String(cString: name) }
    }
    return nil
  }
}
