package import PhotoModel

/// An identifier of one registered app on this broker: 32 hexadecimal digits of 128 random bits.
/// The app's own identifier is only claimed, and is in its ``Manifest``.
package struct AppIdentifier: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let value: AssetIdentifier

  package init(high: UInt64, low: UInt64) { value = AssetIdentifier(high: high, low: low) }

  /// Nil unless the text is 32 lower-case hexadecimal digits.
  package init?(_ text: String) {
    guard let value = AssetIdentifier(text) else { return nil }
    self.value = value
  }

  package var description: String { value.description }
  package static func < (a: Self, b: Self) -> Bool { a.value < b.value }
}
