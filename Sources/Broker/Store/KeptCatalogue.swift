/// A copy of a library's catalogue that the store keeps, so that the next start need not read every asset.
package struct KeptCatalogue: Sendable, Equatable {
  /// Names it; never given twice.
  package var high: UInt64
  package var low: UInt64
  package var bytes: Int64
  /// Of its content.
  package var digest: UInt64

  package init(high: UInt64, low: UInt64, bytes: Int64, digest: UInt64) {
    self.high = high
    self.low = low
    self.bytes = bytes
    self.digest = digest
  }
}
