import PhotoModel

/// What a question shows in an app's own words. A person's answer is to these words and to no others.
struct ClaimedWords: Equatable {
  let displayName: String
  /// In every language: which one was read is known once somebody answers.
  let usageDescription: LocalizedText

  init(_ manifest: Manifest, _ level: AccessLevel) {
    displayName = manifest.displayName
    usageDescription = App.usageDescription(level, of: manifest)
  }
}
