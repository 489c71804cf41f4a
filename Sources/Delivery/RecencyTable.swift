/// Values with a cost, by key, in order of use: the base of a bounded cache.
struct RecencyTable<Key: Hashable, Value> {
  private struct Slot {
    var key: Key
    var value: Value
    var cost: Int
    /// Towards the least recently used.
    var older: Int?
    /// Towards the most recently used.
    var newer: Int?
  }

  private var slots: [Int: Slot] = [:]
  private var positions: [Key: Int] = [:]
  private var oldest: Int?
  private var newest: Int?
  private var nextPosition = 0
  private(set) var cost = 0

  var count: Int { positions.count }
  var keys: some Collection<Key> { positions.keys }

  /// Returns a value and makes it the most recently used.
  mutating func use(_ key: Key) -> Value? {
    guard let position = positions[key], var slot = unlink(position) else { return nil }
    slot.older = nil
    slot.newer = nil
    link(slot, at: position)
    return slot.value
  }

  /// Adds or replaces a value; returns the replaced one.
  mutating func insert(_ value: Value, for key: Key, cost: Int) -> Value? {
    let before = remove(key)
    let position = nextPosition
    nextPosition &+= 1
    positions[key] = position
    self.cost += cost
    link(Slot(key: key, value: value, cost: cost), at: position)
    return before
  }

  mutating func remove(_ key: Key) -> Value? {
    guard let position = positions.removeValue(forKey: key), let slot = unlink(position) else { return nil }
    cost -= slot.cost
    return slot.value
  }

  mutating func removeOldest() -> Value? {
    guard let oldest, let key = slots[oldest]?.key else { return nil }
    return remove(key)
  }

  mutating func removeAll(where matches: (Key) -> Bool) -> [Value] {
    positions.keys.filter(matches).compactMap { remove($0) }
  }

  private mutating func link(_ slot: Slot, at position: Int) {
    var slot = slot
    slot.older = newest
    if let newest { slots[newest]?.newer = position } else { oldest = position }
    newest = position
    slots[position] = slot
  }

  private mutating func unlink(_ position: Int) -> Slot? {
    guard let slot = slots.removeValue(forKey: position) else { return nil }
    if let older = slot.older { slots[older]?.newer = slot.newer } else { oldest = slot.newer }
    if let newer = slot.newer { slots[newer]?.older = slot.older } else { newest = slot.older }
    return slot
  }
}
