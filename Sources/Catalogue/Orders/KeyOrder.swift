import PhotoModel

/// All assets in ascending order of one sort key: an immutable main part, and a short sorted tail
/// of assets that were inserted or moved since.
///
/// A moved slot keeps its old value here, so that a binary search over the main part still works.
struct KeyOrder: Sendable {
  let key: SortKey
  /// Slots by rank; nil if slot and rank are the same.
  private let ranked: [UInt32]?
  /// Number of slots when the main part was made.
  let mainSlots: UInt32
  private(set) var tail: [UInt32] = []
  /// Slots of the main part that moved to the tail, or were removed since.
  private(set) var moved = PositionSet()
  private var oldValues: [UInt32: SortValue] = [:]

  /// The order of the slots themselves.
  init(identity key: SortKey, slots: UInt32) {
    (self.key, ranked, mainSlots) = (key, nil, slots)
  }

  /// Sorts the existing slots. Takes about half a second for a million, so it belongs on a worker.
  init(sorting key: SortKey, _ columns: Columns, living: PositionSet) {
    var entries: [(place: SortPlace, slot: UInt32)] = []
    living.forEach {
      entries.append((SortPlace(value: columns.sortValue(key, $0), identifier: columns.identifiers[$0]), $0))
    }
    entries.sort { $0.place < $1.place }
    (self.key, ranked, mainSlots) = (key, entries.map(\.slot), columns.count)
  }

  /// Number of ranks of the main part, moved and removed slots included.
  var ranks: UInt32 { ranked.map { UInt32(truncatingIfNeeded: $0.count) } ?? mainSlots }

  var isIdentity: Bool { ranked == nil }

  func slot(rank: UInt32) -> UInt32 { ranked.map { $0[Int(rank)] } ?? rank }

  /// The first rank whose asset does not come before `place`.
  func rank(_ place: SortPlace, _ columns: Columns) -> UInt32 {
    (0..<ranks).partitioningIndex { rank in
      let slot = slot(rank: rank)
      let old = moved.isEmpty ? nil : oldValues[slot]
      let other = SortPlace(value: old ?? columns.sortValue(key, slot), identifier: columns.identifiers[slot])
      return !(other < place)
    }
  }

  /// The first index of the tail whose asset does not come before `place`.
  func tailIndex(_ place: SortPlace, _ columns: Columns) -> Int {
    tail.partitioningIndex { !(self.place($0, columns) < place) }
  }

  func place(_ slot: UInt32, _ columns: Columns) -> SortPlace {
    SortPlace(value: columns.sortValue(key, slot), identifier: columns.identifiers[slot])
  }

  /// Call before the slot's value changes or its asset is removed.
  mutating func detach(_ slot: UInt32, _ columns: Columns) {
    if slot >= mainSlots || moved.contains(slot) {
      let index = tailIndex(place(slot, columns), columns)
      if index < tail.count, tail[index] == slot { tail.remove(at: index) }
    } else {
      moved.insert(slot)
      oldValues[slot] = columns.sortValue(key, slot)
    }
  }

  /// Call after the slot has its new value; a known slot must be detached first.
  mutating func attach(_ slot: UInt32, _ columns: Columns) {
    tail.insert(slot, at: tailIndex(place(slot, columns), columns))
  }

  /// Detaches a slot of a main part that was made from older columns, in which its asset had
  /// another value or existed.
  mutating func detach(_ slot: UInt32, oldValue: SortValue) {
    moved.insert(slot)
    oldValues[slot] = oldValue
  }
}
