/// Identifier of an asset in one library on one machine, while the asset exists (R95, R96).
///
/// Its 128 random bits tell nothing about the asset, its neighbours or its age. Each app sees them
/// under a permutation of its own, so that no two apps share an identifier.
@frozen public struct AssetIdentifier: Hashable, Sendable, Comparable, CustomStringConvertible {
  public var high: UInt64
  public var low: UInt64

  @inlinable public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses 32 lower-case hexadecimal digits; nil for any other text.
  public init?(_ text: String) {
    guard let number: UInt128 = Hex.number(text) else { return nil }
    self.init(high: UInt64(truncatingIfNeeded: number >> 64), low: UInt64(truncatingIfNeeded: number))
  }

  /// Parses 32 lower-case hexadecimal digits; nil for any other text.
  public init?(_ text: some StringProtocol) { self.init(String(text)) }

  /// 32 lower-case hexadecimal digits.
  public var description: String { Hex.text(UInt128(high) << 64 | UInt128(low)) }

  @inlinable public static func < (a: Self, b: Self) -> Bool {
    a.high != b.high ? a.high < b.high : a.low < b.low
  }
}
