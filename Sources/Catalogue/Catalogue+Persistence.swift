/// Stored selections: by asset number, with a blob for each 65,536 numbers that has members.
///
/// First byte 1: an array of 1 to 1,024 ascending 16-bit numbers, little-endian. 2: 8,192 bytes of
/// bits, lowest first, more than 1,024 and not all set. 3: all 65,536. Each set has one encoding;
/// anything else is refused.
extension Catalogue {
  /// One chunk of a selection; nil if it has no members. After an edit of a few assets only their
  /// chunks (`AssetNumber.chunk`) have to be written. Takes about 0.2 ms.
  /// - Parameter coming: Members that are about to be inserted; those of other chunks are ignored.
  package func encode(_ selection: Selection, chunk: UInt32, with coming: [AssetNumber] = []) -> [UInt8]? {
    guard chunk <= 0xFFFF else { return nil }
    // As bits, so that each of the 65,536 is one test.
    let bits = positions(of: selection).chunks.map { $0.asBits() }
    let words = BitWords()
    numbers.forEach(inChunk: chunk) { low, slot in
      let index = Int(slot >> 16)
      if index < bits.count, let bits = bits[index], bits[UInt16(truncatingIfNeeded: slot)] { words.set(low) }
    }
    for number in coming where number.chunk == chunk { words.set(UInt16(truncatingIfNeeded: number.rawValue)) }
    return PositionChunk(owning: words).encoded()
  }

  /// All chunks of a selection that have members, in ascending order. Missing assets stay selected.
  package func encode(_ selection: Selection) -> [SelectionChunk] {
    AssetNumbers(numbers(in: selection, withMissing: true)).encoded
  }

  /// Reads stored chunks, in any order. Numbers without an asset are left out.
  /// - Throws: `damagedSelection` for a blob that `encode` does not write, or a repeated chunk.
  package func selection(decoding chunks: some Sequence<SelectionChunk>) throws(CatalogueError) -> Selection {
    var seen = PositionSet()
    var slots: [UInt32] = []
    for chunk in chunks {
      guard chunk.index <= 0xFFFF else { throw .damagedSelection("a chunk lies out of range") }
      guard seen.insert(chunk.index) else { throw .damagedSelection("a chunk is there twice") }
      try PositionChunk(decoding: chunk.bytes).forEach {
        if let slot = numbers[chunk.index << 16 | UInt32($0)] { slots.append(slot) }
      }
    }
    return Selection(layout: layout, positions: PositionSet(slots))
  }
}
