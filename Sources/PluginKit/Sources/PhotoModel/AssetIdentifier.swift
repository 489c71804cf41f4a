/// Names one asset in one library on one machine, for as long as the asset exists (R95, R96).
///
/// 128 random bits: nothing about the asset, its neighbours or its age can be read from it. What an app sees is this
/// value under a permutation that belongs to the app, so that two apps share no identifier.
@frozen public struct AssetIdentifier: Hashable, Sendable, Comparable, CustomStringConvertible {
  public var high: UInt64
  public var low: UInt64

  @inlinable public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads 32 lower-case hexadecimal digits; anything else is nil.
  public init?(_ text: String) {
    guard let (high, low) = Hexadecimal.parse128(text) else { return nil }
    self.init(high: high, low: low)
  }

  /// The same for a part of a text.
  public init?(_ text: some StringProtocol) { self.init(String(text)) }

  /// 32 lower-case hexadecimal digits.
  public var description: String { Hexadecimal.text(high, low) }

  @inlinable public static func < (a: Self, b: Self) -> Bool {
    a.high != b.high ? a.high < b.high : a.low < b.low
  }
}
