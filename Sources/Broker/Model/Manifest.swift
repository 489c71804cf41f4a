/// An app's own description of itself. Nothing in it is verified.
package struct Manifest: Sendable, Equatable {
  /// Reverse-DNS, 1 to 128 of `a-z`, `A-Z`, `0-9`, `.`, `-`, `_`.
  package var identifier: String
  /// For people. Programs that show it must escape it.
  package var displayName: String
  /// Whether a person can see the app. Without a screen there is no prompt at the start of its life
  /// cycle.
  package var hasScreen: Bool
  /// The reason for reading (R30). Blank counts as missing (R31).
  package var usageDescription: LocalizedText
  /// The reason for adding (R30).
  package var addUsageDescription: LocalizedText
  /// Whether the app has its own way to change the selection, so that no prompt asks in each life
  /// cycle (R60).
  package var preventsAutomaticLimitedAccessAlert: Bool
  /// Whether the app asks to see photos and to change none (R151).
  package var isReadOnly: Bool

  package init(
    identifier: String, displayName: String, hasScreen: Bool, usageDescription: LocalizedText,
    addUsageDescription: LocalizedText, preventsAutomaticLimitedAccessAlert: Bool, isReadOnly: Bool = false
  ) {
    self.identifier = identifier
    self.displayName = displayName
    self.hasScreen = hasScreen
    self.usageDescription = usageDescription
    self.addUsageDescription = addUsageDescription
    self.preventsAutomaticLimitedAccessAlert = preventsAutomaticLimitedAccessAlert
    self.isReadOnly = isReadOnly
  }
}
