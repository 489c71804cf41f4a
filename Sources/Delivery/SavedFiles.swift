import PhotoModel

/// Whose the files of the broker's user are: apps of several owners' libraries save them, and by
/// their owner they are all alike.
///
/// They are that user's in whose folder the broker's own ones lie, but for what lies in one that
/// says whose it is (``SavedFolder``). Root's folders are as the broker's. A library whose folder
/// is the broker's and lies within nobody's has all that is there.
package struct SavedFiles: Sendable {
  /// A folder on the way to a file.
  struct Step {
    let name: String
    let owner: UInt32
    /// Type and permission bits.
    let mode: UInt32
  }

  let user: UInt32
  let broker: UInt32

  /// - Parameters:
  ///   - user: Whose are served.
  ///   - broker: The broker's user.
  package init(of user: UInt32, by broker: UInt32) {
    self.user = user
    self.broker = broker
  }

  /// Whether the user cannot look into the folder at the end of a way, as far as modes say. The
  /// first one never is, since it was chosen.
  func isClosed(_ way: [Step]) -> Bool {
    way.dropFirst().reduce(false) { isClosed, step in
      if step.owner == user { return false }
      if step.owner == broker { return SavedFolder.user(of: step.name).map { $0 != user } ?? isClosed }
      return isClosed || step.mode & 0o5 != 0o5
    }
  }

  /// Whether what lies at the end of a way is to be served.
  /// - Parameter isBroad: The same of what lies directly in the way's beginning.
  func hold(_ way: [Step], isBroad: Bool) -> Bool { owner(at: way).map { $0 == user } ?? isBroad }

  /// Whether what the broker's user saves at the end of a way, which begins below the library's
  /// folder, would be another user's.
  func areOthers(_ way: [Step]) -> Bool { owner(at: way).map { $0 != user } ?? false }

  /// Whose the broker's files at the end of a way are; nil where nothing on it says that.
  private func owner(at way: [Step]) -> UInt32? {
    for step in way.reversed() where step.owner != 0 {
      guard step.owner == broker else { return step.owner }
      if let named = SavedFolder.user(of: step.name) { return named }
    }
    return nil
  }
}
