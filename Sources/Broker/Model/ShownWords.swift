import PhotoModel

/// The app's words in a prompt, as they were shown to the person who answered, with the app's
/// verified identity. They are stored with the answer. Later words of the app, or its removal, do
/// not change them.
package struct ShownWords: Sendable, Equatable {
  /// The manifest's identifier; only claimed.
  package var identifier: String
  /// For people; only claimed.
  package var displayName: String
  /// The reason for the request. Empty: the app gave none any more.
  package var usageDescription: String
  /// The manifest's language of the reason; nil: its default.
  package var language: String?
  package var systemIdentity: String?
  package var executable: String?

  package init(
    identifier: String, displayName: String, usageDescription: String, language: String?, systemIdentity: String?,
    executable: String?
  ) {
    self.identifier = identifier
    self.displayName = displayName
    self.usageDescription = usageDescription
    self.language = language
    self.systemIdentity = systemIdentity
    self.executable = executable
  }

  /// The words of `claimed` for a reader of these languages.
  init(_ claimed: ClaimedWords, of app: AppRecord, languages: String?) {
    let reason = claimed.usageDescription.match(for: languages)
    self.init(
      identifier: app.manifest.identifier, displayName: claimed.displayName, usageDescription: reason?.text ?? "",
      language: reason?.language, systemIdentity: app.systemIdentity, executable: app.executable)
  }

  /// The app's present words, in the same language.
  func asOfNow(_ app: AppRecord, _ level: AccessLevel) -> Self {
    Self(ClaimedWords(app.manifest, level), of: app, languages: language)
  }

  /// Whether the app's words are the same, in any language.
  func claimsTheSame(as other: Self) -> Bool {
    (identifier, displayName, usageDescription) == (other.identifier, other.displayName, other.usageDescription)
  }
}
