/// A set of asset numbers, whether assets exist or not. At most 8 KiB for 65,536 numbers; copies
/// share storage until they differ.
package struct AssetNumbers: Sendable, Equatable {
  private(set) var numbers = PositionSet()

  package init(_ members: [AssetNumber]) { numbers = PositionSet(members.map(\.rawValue)) }

  /// Reads a selection's stored chunks.
  /// - Throws: `damagedSelection` for a blob that `Catalogue.encode` does not write.
  package init(decoding chunks: some Sequence<SelectionChunk>) throws(CatalogueError) {
    for chunk in chunks {
      guard chunk.index <= 0xFFFF else { throw .damagedSelection("a chunk lies out of range") }
      try PositionChunk(decoding: chunk.bytes).forEach { numbers.insert(chunk.index << 16 | UInt32($0)) }
    }
  }

  /// All chunks that have members, in ascending order, in the form of a stored selection.
  package var encoded: [SelectionChunk] {
    numbers.chunks.enumerated().compactMap { index, chunk in
      chunk.encoded().map { SelectionChunk(index: UInt32(truncatingIfNeeded: index), bytes: $0) }
    }
  }

  package var count: Int { numbers.count }
  package var members: [AssetNumber] { numbers.members.map { AssetNumber($0) } }

  package func contains(_ number: AssetNumber) -> Bool { numbers.contains(number.rawValue) }
}
