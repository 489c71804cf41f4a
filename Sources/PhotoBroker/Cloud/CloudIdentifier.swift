/// What an asset or an album is called on every machine that has it, for this app. Keep its text
/// with whatever refers to it.
///
/// Source: https://developer.apple.com/documentation/photos/phcloudidentifier
public struct CloudIdentifier: Hashable, Sendable {
  /// Text that survives being archived and read back elsewhere.
  public let stringValue: String

  /// One that was kept.
  public init(stringValue: String) { self.stringValue = stringValue }
}
