import PhotoModel

/// Keeps the first few assets of an order while a query tests all matches in any sequence. Used if
/// the order is not prepared, or if the query matches few assets.
struct TopRows {
  private var rows: [(place: SortPlace, slot: UInt32)] = []
  private let limit: Int
  private let ascending: Bool
  /// Limit beyond which one sort is cheaper than insertions.
  private static let insertionLimit = 1_024

  init(limit: Int, ascending: Bool) {
    self.limit = limit
    self.ascending = ascending
  }

  mutating func offer(_ place: SortPlace, _ slot: UInt32) {
    guard limit <= Self.insertionLimit else {
      rows.append((place, slot))
      return
    }
    guard limit > 0 else { return }
    if rows.count == limit {
      guard precedes(place, rows[limit - 1].place) else { return }
      rows.removeLast()
    }
    rows.insert((place, slot), at: rows.partitioningIndex { !precedes($0.place, place) })
  }

  consuming func slots() -> [UInt32] {
    if limit > Self.insertionLimit { rows.sort { precedes($0.place, $1.place) } }
    return rows.prefix(limit).map(\.slot)
  }

  private func precedes(_ a: SortPlace, _ b: SortPlace) -> Bool { ascending ? a < b : b < a }
}
