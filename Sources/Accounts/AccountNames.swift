import Glibc
import Synchronization

/// What this machine calls its users. A name is a hint beside the number, which is what counts:
/// accounts are renamed, and numbers are given to others.
///
/// For the programs that people look at. The broker asks for no name: a directory of accounts may
/// answer late, or never.
package enum AccountNames {
  private static let known = Mutex<[UInt32: String?]>([:])

  /// Nil: there is no account of this number, or it cannot be found out. Asked once for each.
  package static func name(of user: UInt32) -> String? {
    if let name = known.withLock({ $0[user] }) { return name }
    let name = lookUp(user)
    known.withLock { _ = $0.updateValue(name, forKey: user) }
    return name
  }

  /// The number, and the name in parentheses where there is one.
  package static func words(_ user: Int64) -> String {
    guard let name = UInt32(exactly: user).flatMap(name(of:)) else { return "\(user)" }
    return "\(user) (\(name))"
  }

  private static func lookUp(_ user: UInt32) -> String? {
    var account = passwd()
    var found: UnsafeMutablePointer<passwd>?
    // Room for the longest line that there should be.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { room in
      guard let base = room.baseAddress, getpwuid_r(user, &account, base, room.count, &found) == 0, found != nil,
        let name = account.pw_name
      else { return nil }
      return String(cString: name)
    }
  }
}
