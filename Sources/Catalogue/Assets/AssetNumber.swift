/// The row number of an asset in its library: given once, durable, never given to another asset, never told to an app.
///
/// The store hands them out in rising order and keeps selections and albums as sets of them.
package struct AssetNumber: Hashable, Sendable, Comparable {
  package var rawValue: UInt32

  /// Wraps a number of the store. `UInt32.max` is never a valid number.
  package init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// Which of the 65,536-wide chunks of a persisted selection holds this number.
  package var chunk: UInt32 { rawValue >> 16 }

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
