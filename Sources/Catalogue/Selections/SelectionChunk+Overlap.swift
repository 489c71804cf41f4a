extension Sequence<SelectionChunk> {
  /// Whether any asset is in both. Damaged chunks count as overlapping.
  package func overlaps(_ others: some Sequence<SelectionChunk>) -> Bool {
    let mine = Dictionary(map { ($0.index, $0.bytes) }) { first, _ in first }
    return others.contains { other in
      guard let bytes = mine[other.index] else { return false }
      guard let chunk = try? PositionChunk(decoding: bytes), let other = try? PositionChunk(decoding: other.bytes)
      else { return true }
      return chunk.intersection(other) != .absent
    }
  }
}
