/// Identifier of an asset or album that names it on every machine, for this app. Documents that refer
/// to photos store its text. That of an asset names it where the same facts are withheld from the app;
/// if files are, on its own machine only.
///
/// Source: https://developer.apple.com/documentation/photos/phcloudidentifier
public struct CloudIdentifier: Hashable, Sendable {
  /// The text to store and to read back on another machine.
  public let stringValue: String

  /// Creates an identifier from a stored text.
  public init(stringValue: String) { self.stringValue = stringValue }
}
