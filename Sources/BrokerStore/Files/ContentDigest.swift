/// A digest that reveals a damaged file. It is fast and not secret: a user who can write in the
/// state folder can also change the database that holds the digest.
struct ContentDigest {
  /// The length of all pieces but the last; it fits the processor's cache.
  static let pieceBytes = 1 << 18

  /// Odd numbers with well mixed bits: the fractional parts of the square roots of 2, 3, 5 and 7.
  private static let factors: SIMD4<UInt64> = [
    0x6A09_E667_F3BC_C909, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
  ]

  private(set) var value: UInt64

  init(seed: UInt64) { value = Self.mixed(seed) }

  mutating func add(_ piece: UnsafeRawBufferPointer) {
    let factors = Self.factors
    var (a, b, c, d) = (value, ~value, value &+ factors[0], value &+ factors[1])
    var offset = 0
    while offset + 32 <= piece.count {
      // The four words are independent, so the processor can multiply them in parallel.
      a = Self.turned(a ^ piece.loadUnaligned(fromByteOffset: offset, as: UInt64.self), factors[0])
      b = Self.turned(b ^ piece.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self), factors[1])
      c = Self.turned(c ^ piece.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self), factors[2])
      d = Self.turned(d ^ piece.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self), factors[3])
      offset += 32
    }
    for byte in piece[offset...] { a = Self.turned(a ^ UInt64(byte), factors[0]) }
    var sum = Self.mixed(a) ^ UInt64(piece.count)
    for word in [b, c, d] { sum = Self.mixed(sum ^ word) }
    value = sum
  }

  @inline(__always)
  private static func turned(_ word: UInt64, _ factor: UInt64) -> UInt64 {
    let product = word &* factor
    return product << 29 | product >> 35
  }

  private static func mixed(_ word: UInt64) -> UInt64 {
    let once = (word ^ word >> 31) &* factors[0]
    let twice = (once ^ once >> 29) &* factors[1]
    return twice ^ twice >> 32
  }
}
