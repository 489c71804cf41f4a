package import PhotoModel

/// Names one registered app on this broker: 32 hexadecimal digits of 128 random bits. What an app calls itself is only
/// claimed and stands in its ``Manifest``.
package struct AppIdentifier: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let value: AssetIdentifier

  package init(high: UInt64, low: UInt64) { value = AssetIdentifier(high: high, low: low) }

  /// Nil where the text is not 32 lower-case hexadecimal digits.
  package init?(_ text: String) {
    guard let value = AssetIdentifier(text) else { return nil }
    self.value = value
  }

  package var description: String { value.description }
  package static func < (a: Self, b: Self) -> Bool { a.value < b.value }
}
