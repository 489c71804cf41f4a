package import PhotoModel

/// The answer to a prompt that gave a grant its present level. It ends with that level.
package struct Agreement: Sendable, Equatable {
  package var time: Timestamp
  /// The user who answered.
  package var user: UInt32
  package var words: ShownWords

  package init(time: Timestamp, user: UInt32, words: ShownWords) {
    self.time = time
    self.user = user
    self.words = words
  }
}
