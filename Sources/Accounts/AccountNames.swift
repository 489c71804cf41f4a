import Glibc
import Synchronization

/// The names of this machine's users. Beside a number, a name is a hint: accounts are renamed, and
/// numbers are reused.
///
/// For programs that people use. The broker looks up names at its start alone, since a directory
/// service may answer late or never.
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

  /// The number of an account as a person types it: a number, also without an account, or a name; nil
  /// if there is no such name or the lookup fails.
  package static func number(_ text: String) -> Int64? {
    if let number = UInt32(text) { return number == .max ? nil : Int64(number) }
    var account = passwd()
    var found: UnsafeMutablePointer<passwd>?
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { room in
      guard let base = room.baseAddress, getpwnam_r(text, &account, base, room.count, &found) == 0, found != nil
      else { return nil }
      return Int64(account.pw_uid)
    }
  }

  /// The names of root and of the accounts of people.
  package static func ofPeople() -> [String] {
    // The list has one place for all threads.
    known.withLock { _ in
      setpwent()
      defer { endpwent() }
      var names: [String] = []
      while let account = getpwent() {
        let user = account.pointee.pw_uid
        guard user == 0 || (1_000..<65_534).contains(user), let name = account.pointee.pw_name else { continue }
        names.append(String(cString: name))
      }
      return names
    }
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
