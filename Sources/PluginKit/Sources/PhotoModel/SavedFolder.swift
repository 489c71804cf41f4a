/// The name of a folder for the files that one user's apps add: `user-` and the user's number.
///
/// Libraries of several users may lie in one shared folder. Added files there belong to the
/// broker's user, so this folder's name tells whose they are. It lies below the folder for added
/// files.
public enum SavedFolder {
  private static let prefix = "user-"

  public static func name(of user: UInt32) -> String { prefix + String(user) }

  /// Parses the user's number from a folder's name; nil for any other name.
  public static func user(of name: some StringProtocol) -> UInt32? {
    guard name.utf8.starts(with: prefix.utf8), let user = UInt32(name.dropFirst(prefix.count)),
      name == self.name(of: user)
    else {
      return nil
    }
    return user
  }
}
