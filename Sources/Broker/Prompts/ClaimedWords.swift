import PhotoModel

/// The app's own words in a prompt, and what it asks for. An answer holds for these words only.
struct ClaimedWords: Equatable {
  let displayName: String
  /// In every language, because the reader's language is known only with the answer.
  let usageDescription: LocalizedText
  /// Whether it asks to see photos and to change none (R151).
  let isReadOnly: Bool

  init(_ manifest: Manifest, _ level: AccessLevel) {
    displayName = manifest.displayName
    usageDescription = App.usageDescription(level, of: manifest)
    isReadOnly = level == .readWrite && manifest.isReadOnly
  }
}
