import Varlink

struct AccountsQuestion {
  let users: [UInt32]
  static let most = 1_000

  init(_ asked: JSONObject) throws(PageError) {
    guard case .array(let listed)? = asked["users"], listed.count <= Self.most, asked.entries.count == 1 else {
      throw Self.mistake
    }
    var users: [UInt32] = []
    for value in listed {
      guard case .integer(let number) = value, let user = UInt32(exactly: number) else { throw Self.mistake }
      users.append(user)
    }
    self.users = users
  }

  private static let mistake = PageError(
    .badRequest, "users takes at most \(most) numbers of users, and there is no other field.")
}
