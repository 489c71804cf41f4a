/// The number of an asset in its library: durable, never given to another asset, never told to an
/// app.
///
/// The store assigns numbers in rising order, and keeps selections and albums as sets of them.
package struct AssetNumber: Hashable, Sendable, Comparable {
  package var rawValue: UInt32

  /// Wraps a number of the store. `UInt32.max` is never a valid number.
  package init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// Index of the 65,536-wide chunk of a stored selection that holds this number.
  package var chunk: UInt32 { rawValue >> 16 }

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
