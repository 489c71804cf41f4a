import PhotoModel

/// What an app said of itself in a question, as it was shown to the person who answered, and what
/// was verified of it. It is kept with the answer: what the app says later, and that it was
/// removed, change nothing of what was said yes to.
package struct ShownWords: Sendable, Equatable {
  /// What its manifest called itself; only claimed.
  package var identifier: String
  /// For people; only claimed.
  package var displayName: String
  /// Why it asked. Empty where it gave no reason any more.
  package var usageDescription: String
  /// Of which of the manifest's languages that is; nil: its default.
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

  /// What `claimed` shows to who reads these languages.
  init(_ claimed: ClaimedWords, of app: AppRecord, languages: String?) {
    let reason = claimed.usageDescription.match(for: languages)
    self.init(
      identifier: app.manifest.identifier, displayName: claimed.displayName, usageDescription: reason?.text ?? "",
      language: reason?.language, systemIdentity: app.systemIdentity, executable: app.executable)
  }

  /// The same question's words as the app says them by now, in the same language.
  func asOfNow(_ app: AppRecord, _ level: AccessLevel) -> Self {
    Self(ClaimedWords(app.manifest, level), of: app, languages: language)
  }

  /// Whether the app says the same, in whichever language.
  func claimsTheSame(as other: Self) -> Bool {
    (identifier, displayName, usageDescription) == (other.identifier, other.displayName, other.usageDescription)
  }
}
