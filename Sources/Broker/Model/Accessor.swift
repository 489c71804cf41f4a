package import PhotoModel

/// A name for a token without its secret, so that it can be listed and revoked: 32 hexadecimal
/// digits of 128 random bits. It is the macaroon's identifier.
package struct Accessor: Hashable, Sendable, CustomStringConvertible {
  package let value: AssetIdentifier

  package init(high: UInt64, low: UInt64) { value = AssetIdentifier(high: high, low: low) }

  /// Nil unless the text is 32 lower-case hexadecimal digits.
  package init?(_ text: String) {
    guard let value = AssetIdentifier(text) else { return nil }
    self.value = value
  }

  package var description: String { value.description }
}
