import PhotoModel

/// Decides to which user a file of the broker's own user belongs: apps of several owners' libraries
/// save such files, and all have the same uid.
///
/// A file belongs to the user whose folder it is in, or to the user named by a ``SavedFolder``.
/// Folders of root count like the broker's. A library in a folder of the broker, outside all users'
/// folders, owns every file in it.
package struct SavedFiles: Sendable {
  struct Step {
    let name: String
    let owner: UInt32
    /// Type and permission bits.
    let mode: UInt32
  }

  let user: UInt32
  let broker: UInt32

  /// - Parameters:
  ///   - user: The user whose files are served.
  ///   - broker: The broker's user.
  package init(of user: UInt32, by broker: UInt32) {
    self.user = user
    self.broker = broker
  }

  /// Whether modes keep the user out of the last folder on the way. The first folder is never
  /// closed, because an owner chose it.
  func isClosed(_ way: [Step]) -> Bool {
    way.dropFirst().reduce(false) { isClosed, step in
      if step.owner == user { return false }
      if step.owner == broker { return SavedFolder.user(of: step.name).map { $0 != user } ?? isClosed }
      return isClosed || step.mode & 0o5 != 0o5
    }
  }

  /// Whether files in the last folder are served.
  ///
  /// - Parameter isBroad: The answer for files directly in the first folder.
  func hold(_ way: [Step], isBroad: Bool) -> Bool { owner(at: way).map { $0 == user } ?? isBroad }

  /// Whether a file saved by the broker's user in the last folder would belong to another user. The
  /// way begins below the library's root.
  func areOthers(_ way: [Step]) -> Bool { owner(at: way).map { $0 != user } ?? false }

  /// The user to whom the broker's files in the last folder belong; nil if no folder tells.
  private func owner(at way: [Step]) -> UInt32? {
    for step in way.reversed() where step.owner != 0 {
      guard step.owner == broker else { return step.owner }
      if let named = SavedFolder.user(of: step.name) { return named }
    }
    return nil
  }
}
