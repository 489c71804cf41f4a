/// A stored copy of a library's catalogue, so that the next start need not read every asset.
package struct KeptCatalogue: Sendable, Equatable {
  /// A unique name, with ``low``.
  package var high: UInt64
  package var low: UInt64
  package var bytes: Int64
  /// A digest of the content.
  package var digest: UInt64

  package init(high: UInt64, low: UInt64, bytes: Int64, digest: UInt64) {
    self.high = high
    self.low = low
    self.bytes = bytes
    self.digest = digest
  }
}
