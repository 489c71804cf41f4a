import PhotoModel

/// The app's own words in a prompt. An answer holds for these words only.
struct ClaimedWords: Equatable {
  let displayName: String
  /// In every language, because the reader's language is known only with the answer.
  let usageDescription: LocalizedText

  init(_ manifest: Manifest, _ level: AccessLevel) {
    displayName = manifest.displayName
    usageDescription = App.usageDescription(level, of: manifest)
  }
}
