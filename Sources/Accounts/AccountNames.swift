import Glibc
import Synchronization

/// The names of this machine's users, as a hint beside the number, which decides: accounts are
/// renamed, and numbers are reused.
///
/// For programs with output for people. The broker looks up no names, since a directory service may
/// answer late or never.
package enum AccountNames {
  private static let known = Mutex<[UInt32: String?]>([:])

  /// The name of a user, looked up once; nil if the account does not exist or the lookup fails.
  package static func name(of user: UInt32) -> String? {
    if let name = known.withLock({ $0[user] }) { return name }
    let name = lookUp(user)
    known.withLock { _ = $0.updateValue(name, forKey: user) }
    return name
  }

  /// The number, followed by the name in parentheses if there is one.
  package static func words(_ user: Int64) -> String {
    guard let name = UInt32(exactly: user).flatMap(name(of:)) else { return "\(user)" }
    return "\(user) (\(name))"
  }

  private static func lookUp(_ user: UInt32) -> String? {
    var account = passwd()
    var found: UnsafeMutablePointer<passwd>?
    // A buffer for the longest expected account line.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { room in
      guard let base = room.baseAddress, getpwuid_r(user, &account, base, room.count, &found) == 0, found != nil,
        let name = account.pw_name
      else { return nil }
      return String(cString: name)
    }
  }
}
