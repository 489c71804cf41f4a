/// Identifier of an asset or album that is the same on every machine, for this app. Documents that
/// refer to photos store its text.
///
/// Source: https://developer.apple.com/documentation/photos/phcloudidentifier
public struct CloudIdentifier: Hashable, Sendable {
  /// The text to store and to read back on another machine.
  public let stringValue: String

  /// Creates an identifier from a stored text.
  public init(stringValue: String) { self.stringValue = stringValue }
}
