import PhotoModel

/// Identifiers are stored as 16 bytes, big endian.
extension SQLiteValue {
  static func identifier(_ value: AssetIdentifier) -> SQLiteValue { .blob(bytes(value.high, value.low)) }
  static func identifier(_ value: AlbumIdentifier) -> SQLiteValue { .blob(bytes(value.high, value.low)) }

  private static func bytes(_ high: UInt64, _ low: UInt64) -> [UInt8] {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { [UInt8]($0) }
  }
}

extension Statement {
  /// The two halves of an identifier; nil unless the column has 16 bytes.
  func words(_ column: Int) -> (high: UInt64, low: UInt64)? {
    withBlob(column) { bytes in
      guard bytes.count == 16 else { return nil }
      return (
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }
}
