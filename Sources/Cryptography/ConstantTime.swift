internal import CCrypto

/// Comparisons in a time that does not depend on the compared bytes.
public enum ConstantTime {
  /// Whether both have the same bytes. The time depends only on the lengths.
  public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool { equal(left.span, right.span) }

  /// Whether both have the same bytes. The time depends only on the lengths.
  public static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    if left.isEmpty { return true }
    return left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { CRYPTO_memcmp(left.baseAddress, $0.baseAddress, left.count) == 0 }
    }
  }
}
