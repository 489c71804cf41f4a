/// An app's own words about itself. Everything here is only claimed.
package struct Manifest: Sendable, Equatable {
  /// Reverse-DNS, 1 to 128 of `a-z`, `A-Z`, `0-9`, `.`, `-`, `_`.
  package var identifier: String
  /// For people; escaped by whoever shows it.
  package var displayName: String
  /// Whether a person can see this app: one without a screen is not asked at its life cycle's start.
  package var hasScreen: Bool
  /// Why it wants to read (R30). Blank counts as missing (R31).
  package var usageDescription: LocalizedText
  /// Why it wants to add (R30).
  package var addUsageDescription: LocalizedText
  /// R60: the app shows its own way to change the selection, so the question in each life cycle is not asked.
  package var preventsAutomaticLimitedAccessAlert: Bool

  package init(
    identifier: String, displayName: String, hasScreen: Bool, usageDescription: LocalizedText,
    addUsageDescription: LocalizedText, preventsAutomaticLimitedAccessAlert: Bool
  ) {
    self.identifier = identifier
    self.displayName = displayName
    self.hasScreen = hasScreen
    self.usageDescription = usageDescription
    self.addUsageDescription = addUsageDescription
    self.preventsAutomaticLimitedAccessAlert = preventsAutomaticLimitedAccessAlert
  }
}
