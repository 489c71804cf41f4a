/// An AND over required and excluded sets, evaluated chunk by chunk without building the result. An
/// example is "favourites in my selection, newest first".
struct BitSieve {
  private var required: [PositionSet] = []
  private var excluded: [PositionSet] = []

  mutating func require(_ set: PositionSet) { required.append(set) }
  mutating func exclude(_ set: PositionSet) { if !set.isEmpty { excluded.append(set) } }

  func contains(_ position: UInt32) -> Bool {
    for set in required where !set.contains(position) { return false }
    for set in excluded where set.contains(position) { return false }
    return true
  }

  /// Number of positions in the range that pass.
  func count(in range: Range<UInt32>) -> Int {
    var sum = 0
    forEachChunk(of: range) { chunk, bounds in sum += chunk.count(in: bounds) }
    return sum
  }

  /// Visits positions that pass, ascending or descending, until `body` returns false.
  @inline(__always)
  func walk(_ range: Range<UInt32>, ascending: Bool, _ body: (UInt32) -> Bool) {
    guard !range.isEmpty else { return }
    let first = Int(range.lowerBound >> 16)
    let last = Int((range.upperBound - 1) >> 16)
    for step in 0...(last - first) {
      let index = ascending ? first + step : last - step
      let chunk = SieveChunk(index: index, required: required, excluded: excluded)
      if chunk.isEmpty { continue }
      let base = UInt32(truncatingIfNeeded: index) << 16
      let low = index == first ? Int(range.lowerBound & 0xFFFF) : 0
      let high = index == last ? Int((range.upperBound - 1) & 0xFFFF) + 1 : PositionChunk.width
      guard chunk.walk(low..<high, ascending: ascending, { body(base | UInt32($0)) }) else { return }
    }
  }

  /// Skips the first `count` positions that pass, from the start of the walk.
  /// - Returns: The remaining range, and the number of positions that could not be skipped.
  func dropping(_ count: Int, from range: Range<UInt32>, ascending: Bool) -> (range: Range<UInt32>, left: Int) {
    var left = count
    var range = range
    var step: UInt32 = 1 << 16
    while !range.isEmpty, left > 0 {
      let size = min(step, UInt32(truncatingIfNeeded: range.count))
      let edge = ascending ? range.lowerBound + size : range.upperBound - size
      let inside = self.count(in: ascending ? range.lowerBound..<edge : edge..<range.upperBound)
      if inside <= left {
        left -= inside
        range = ascending ? edge..<range.upperBound : range.lowerBound..<edge
      } else {
        // The last one to skip lies in this piece, so its half is tested. A piece of one position
        // cannot hold too many.
        step = size / 2
      }
    }
    return (range, left)
  }

  /// The set of positions that pass.
  func collected(upTo limit: UInt32) -> PositionSet {
    guard limit > 0 else { return PositionSet() }
    return PositionSet(
      chunks: (0...Int((limit - 1) >> 16)).map { index in
        var chunk = PositionChunk.full
        for set in required { chunk = chunk.intersection(set.chunk(index)) }
        for set in excluded { chunk = chunk.subtracting(set.chunk(index)) }
        return chunk
      })
  }

  private func forEachChunk(of range: Range<UInt32>, _ body: (SieveChunk, Range<Int>) -> Void) {
    guard !range.isEmpty else { return }
    let first = Int(range.lowerBound >> 16)
    let last = Int((range.upperBound - 1) >> 16)
    for index in first...last {
      let chunk = SieveChunk(index: index, required: required, excluded: excluded)
      if chunk.isEmpty { continue }
      let low = index == first ? Int(range.lowerBound & 0xFFFF) : 0
      let high = index == last ? Int((range.upperBound - 1) & 0xFFFF) + 1 : PositionChunk.width
      body(chunk, low..<high)
    }
  }
}
