internal import CCrypto

/// Comparisons whose time does not depend on what is compared.
public enum ConstantTime {
  /// Whether both hold the same bytes. The time depends on the lengths only.
  public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool { equal(left.span, right.span) }

  /// Whether both hold the same bytes. The time depends on the lengths only.
  public static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    if left.isEmpty { return true }
    return left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { CRYPTO_memcmp(left.baseAddress, $0.baseAddress, left.count) == 0 }
    }
  }
}
