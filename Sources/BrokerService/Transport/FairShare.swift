/// Decides which user gives up a place if all are taken, so that no user keeps others out.
///
/// A new connection takes a place of the user with most places, until both have equally many. If
/// nobody has more than one, a user without any takes the least recently used place. The user who
/// lost it can do the same, so everybody with something to say is heard.
struct FairShare<User: Hashable> {
  enum Place: Equatable {
    case free
    /// All places are taken. One of these users must give up a place.
    case of(Set<User>)
    case none
  }

  /// Number of places of each user; no entry for none.
  let held: [User: Int]
  let limit: Int

  /// The source of a user's next place.
  /// - Parameter exempt: A user who gives up no place, and whose places do not count.
  func place(for user: User, exempt: User? = nil) -> Place {
    let others = held.filter { $0.key != exempt }
    guard others.values.reduce(0, +) >= limit else { return .free }
    let mine = held[user, default: 0]
    guard let most = others.values.max(), most > mine + 1 || mine == 0 else { return .none }
    return .of(Set(others.filter { $0.value == most }.keys))
  }
}
