/// A set of asset numbers, whether assets have them or not; at most 8 KiB per 65,536. Copies share
/// storage until they differ.
package struct AssetNumbers: Sendable, Equatable {
  private(set) var numbers = PositionSet()

  package init() {}

  package init(_ members: [AssetNumber]) { numbers = PositionSet(members.map(\.rawValue)) }

  init(_ numbers: PositionSet) { self.numbers = numbers }

  /// What stored chunks of a selection hold.
  /// - Throws: `damagedSelection` where a blob is not what `Catalogue.encode` writes.
  package init(decoding chunks: some Sequence<SelectionChunk>) throws(CatalogueError) {
    for chunk in chunks {
      guard chunk.index <= 0xFFFF else { throw .damagedSelection("a chunk lies out of range") }
      try PositionChunk(decoding: chunk.bytes).forEach { numbers.insert(chunk.index << 16 | UInt32($0)) }
    }
  }

  /// All chunks that have members, in ascending order, as those of a selection are stored.
  package var encoded: [SelectionChunk] {
    numbers.chunks.enumerated().compactMap { index, chunk in
      chunk.encoded().map { SelectionChunk(index: UInt32(truncatingIfNeeded: index), bytes: $0) }
    }
  }

  package var count: Int { numbers.count }
  package var isEmpty: Bool { numbers.isEmpty }
  package var members: [AssetNumber] { numbers.members.map { AssetNumber($0) } }

  package func contains(_ number: AssetNumber) -> Bool { numbers.contains(number.rawValue) }
  package mutating func insert(_ number: AssetNumber) { numbers.insert(number.rawValue) }
  package mutating func remove(_ number: AssetNumber) { numbers.remove(number.rawValue) }
}
