import Varlink

enum AccountsQuestion {
  /// The names of users.
  case users([UInt32])
  /// The number of a user, by the name or number that a person typed.
  case name(String)

  static let most = 1_000
  /// The longest name that Linux has has 32 bytes; directory services have longer ones.
  static let nameBytes = 256

  init(_ asked: JSONObject) throws(PageError) {
    guard asked.entries.count == 1 else { throw Self.mistake }
    if case .string(let name)? = asked["name"], (1...Self.nameBytes).contains(name.utf8.count), !name.utf8.contains(0) {
      self = .name(name)
      return
    }
    guard case .array(let listed)? = asked["users"], listed.count <= Self.most else { throw Self.mistake }
    var users: [UInt32] = []
    for value in listed {
      guard case .integer(let number) = value, let user = UInt32(exactly: number) else { throw Self.mistake }
      users.append(user)
    }
    self = .users(users)
  }

  private static let mistake = PageError(
    .badRequest, "Send users, at most \(most) numbers of users, or name, an account's name, and nothing else.")
}
