import Broker
import PhotoModel

/// An identifier of 128 bits, which is stored as 16 bytes, big endian.
protocol RandomIdentifier {
  init(high: UInt64, low: UInt64)
  var halves: (high: UInt64, low: UInt64) { get }
}

extension RandomIdentifier {
  /// Nil unless there are 16 bytes.
  init?(bigEndian bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    self.init(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  func withBigEndian<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeBytes(of: (halves.high.bigEndian, halves.low.bigEndian), body)
  }
}

extension AssetIdentifier: RandomIdentifier {
  var halves: (high: UInt64, low: UInt64) { (high, low) }
}

extension AlbumIdentifier: RandomIdentifier {
  var halves: (high: UInt64, low: UInt64) { (high, low) }
}

extension AppIdentifier: RandomIdentifier {
  var halves: (high: UInt64, low: UInt64) { (value.high, value.low) }
}

extension Accessor: RandomIdentifier {
  var halves: (high: UInt64, low: UInt64) { (value.high, value.low) }
}
