/// Formats digits eight at a time, in the byte lanes of one word.
@usableFromInline
enum JSONDigits {
  /// The eight decimal digits of a number below 100,000,000, the first in the lowest byte.
  @inlinable @inline(__always)
  static func decimal(_ value: UInt32) -> UInt64 {
    let (high, low) = value.quotientAndRemainder(dividingBy: 10_000)
    let fours = UInt64(high) | UInt64(low) << 32
    // Divisions by 100 and 10 as multiplications, which are exact for numbers this small.
    let hundreds = (fours &* 5_243) >> 19 & 0x0000_007F_0000_007F
    let twos = hundreds | (fours &- hundreds &* 100) << 16
    let tens = (twos &* 103) >> 10 & 0x000F_000F_000F_000F
    return (tens | (twos &- tens &* 10) << 8) | 0x3030_3030_3030_3030
  }

  /// Writes a number without leading zeros. `target` needs room for 24 bytes.
  /// - Returns: the end of the written digits.
  @inlinable
  static func write(_ value: UInt64, to target: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    guard value >= 100_000_000 else { return writeShort(UInt32(truncatingIfNeeded: value), to: target) }
    let (rest, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
    let middle = write(rest, to: target)
    UnsafeMutableRawPointer(middle).storeBytes(
      of: decimal(UInt32(truncatingIfNeeded: low)).littleEndian, as: UInt64.self)
    return middle + 8
  }

  @inlinable @inline(__always)
  static func writeShort(_ value: UInt32, to target: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    let digits = decimal(value)
    // Keeps the last digit of a zero.
    let zeros = min((digits & 0x0F0F_0F0F_0F0F_0F0F).trailingZeroBitCount >> 3, 7)
    UnsafeMutableRawPointer(target).storeBytes(of: (digits >> UInt64(8 * zeros)).littleEndian, as: UInt64.self)
    return target + (8 - zeros)
  }

  /// The eight lower-case hexadecimal digits, the highest in the lowest byte.
  @inlinable @inline(__always)
  static func hex(_ value: UInt32) -> UInt64 {
    var lanes = UInt64(value.byteSwapped)
    lanes = (lanes | lanes << 16) & 0x0000_FFFF_0000_FFFF
    lanes = (lanes | lanes << 8) & 0x00FF_00FF_00FF_00FF
    let nibbles = (lanes >> 4 | lanes << 8) & 0x0F0F_0F0F_0F0F_0F0F
    // 1 in each lane above 9, for a letter.
    let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
  }
}
