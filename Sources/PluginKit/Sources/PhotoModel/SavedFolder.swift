/// Where what one user's apps save lies apart from what other users' apps do: a folder that has the
/// user's number in its name, made by the broker's user below the one that added files go to. It is
/// needed where that one lies in a folder that is not the library's owner's, as several libraries'
/// may, since all added files are of the broker's user and nothing else would say whose they are.
public enum SavedFolder {
  private static let prefix = "user-"

  public static func name(of user: UInt32) -> String { prefix + String(user) }

  /// Whose it is, by its name; nil for any other folder.
  public static func user(of name: some StringProtocol) -> UInt32? {
    guard name.utf8.starts(with: prefix.utf8), let user = UInt32(name.dropFirst(prefix.count)),
      name == self.name(of: user)
    else {
      return nil
    }
    return user
  }
}
