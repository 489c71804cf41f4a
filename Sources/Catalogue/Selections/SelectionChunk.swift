/// The part of a stored selection in 65,536 consecutive asset numbers.
package struct SelectionChunk: Hashable, Sendable {
  /// The upper 16 bits of the numbers (`AssetNumber.chunk`).
  package var index: UInt32
  /// Bytes of `Catalogue.encode`; at most 8,193.
  package var bytes: [UInt8]

  package init(index: UInt32, bytes: [UInt8]) {
    self.index = index
    self.bytes = bytes
  }
}
