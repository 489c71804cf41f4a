/// Who gives way where all places are taken: nobody keeps others out by what they hold, however
/// many users they are.
///
/// A user gets a place of whoever holds most, until both hold the same. Where nobody holds more
/// than one, who holds none gets the place of whoever has done nothing with theirs for the longest;
/// that one can do the same in turn. So a user with something to say is heard, whatever others only
/// keep open.
struct FairShare<User: Hashable> {
  enum Place: Equatable {
    case free
    /// One of these users' places, as soon as one of theirs is given up.
    case of(Set<User>)
    case none
  }

  /// Places that each user has; who has none has no entry.
  let held: [User: Int]
  /// How many places there are.
  let limit: Int

  /// Where a user's next place comes from.
  /// - Parameter exempt: a user of whom none is taken, and whose places are not counted.
  func place(for user: User, exempt: User? = nil) -> Place {
    let others = held.filter { $0.key != exempt }
    guard others.values.reduce(0, +) >= limit else { return .free }
    let mine = held[user, default: 0]
    guard let most = others.values.max(), most > mine + 1 || mine == 0 else { return .none }
    return .of(Set(others.filter { $0.value == most }.keys))
  }
}
