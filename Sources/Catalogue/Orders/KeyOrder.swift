import PhotoModel

/// All assets in ascending order of one sort key: a main part that is never moved about, and a short sorted tail of
/// what was inserted, or moved by a change of its value, since the main part was made.
///
/// A slot that moved keeps its old value here, so that a binary search over the main part still finds its way.
struct KeyOrder: Sendable {
  let key: SortKey
  /// Slots by rank; nil where slot and rank are the same.
  private let ranked: [UInt32]?
  /// Slots below this one were in the main part when it was made.
  let mainSlots: UInt32
  private(set) var tail: [UInt32] = []
  /// Slots of the main part that are in the tail, or gone after having been there.
  private(set) var moved = PositionSet()
  private var oldValues: [UInt32: SortValue] = [:]

  /// The order in which the slots lie.
  init(identity key: SortKey, slots: UInt32) {
    (self.key, ranked, mainSlots) = (key, nil, slots)
  }

  /// Sorts the living slots. About half a second for a million: meant for a worker.
  init(sorting key: SortKey, _ columns: Columns, living: PositionSet) {
    var entries: [(place: SortPlace, slot: UInt32)] = []
    living.forEach {
      entries.append((SortPlace(value: columns.sortValue(key, $0), identifier: columns.identifiers[$0]), $0))
    }
    entries.sort { $0.place < $1.place }
    (self.key, ranked, mainSlots) = (key, entries.map(\.slot), columns.count)
  }

  /// How many ranks the main part has, dead and moved slots included.
  var ranks: UInt32 { ranked.map { UInt32(truncatingIfNeeded: $0.count) } ?? mainSlots }

  var isIdentity: Bool { ranked == nil }

  func slot(rank: UInt32) -> UInt32 { ranked.map { $0[Int(rank)] } ?? rank }

  /// The first rank whose asset does not come before `place`.
  func rank(_ place: SortPlace, _ columns: Columns) -> UInt32 {
    var low: UInt32 = 0
    var high = ranks
    while low < high {
      let middle = low + (high - low) / 2
      let slot = slot(rank: middle)
      let old = moved.isEmpty ? nil : oldValues[slot]
      let other = SortPlace(value: old ?? columns.sortValue(key, slot), identifier: columns.identifiers[slot])
      if other < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The first index of the tail whose asset does not come before `place`.
  func tailIndex(_ place: SortPlace, _ columns: Columns) -> Int {
    var low = 0
    var high = tail.count
    while low < high {
      let middle = low + (high - low) / 2
      if self.place(tail[middle], columns) < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func place(_ slot: UInt32, _ columns: Columns) -> SortPlace {
    SortPlace(value: columns.sortValue(key, slot), identifier: columns.identifiers[slot])
  }

  /// Before the slot's value changes or its asset goes.
  mutating func detach(_ slot: UInt32, _ columns: Columns) {
    if slot >= mainSlots || moved.contains(slot) {
      let index = tailIndex(place(slot, columns), columns)
      if index < tail.count, tail[index] == slot { tail.remove(at: index) }
    } else {
      moved.insert(slot)
      oldValues[slot] = columns.sortValue(key, slot)
    }
  }

  /// After the slot has its value: new, or detached before.
  mutating func attach(_ slot: UInt32, _ columns: Columns) {
    tail.insert(slot, at: tailIndex(place(slot, columns), columns))
  }

  /// For a main part made from an older state of the columns, where this slot's asset had another value or existed.
  mutating func detach(_ slot: UInt32, oldValue: SortValue) {
    moved.insert(slot)
    oldValues[slot] = oldValue
  }
}
