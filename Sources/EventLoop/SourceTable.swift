/// The registered descriptors by the kernel's token. A stale token finds nothing.
struct SourceTable {
  typealias Handler = (Readiness) -> Void

  private struct Slot {
    var generation: UInt32 = 0
    var descriptor: Int32 = -1
    var handler: Handler?
  }

  private var slots: [Slot] = []
  private var free: [Int] = []

  mutating func insert(descriptor: Int32, handler: @escaping Handler) -> SourceID {
    let slot: Int
    if let reused = free.popLast() {
      slot = reused
    } else {
      slot = slots.count
      slots.append(Slot())
    }
    slots[slot].descriptor = descriptor
    slots[slot].handler = handler
    return SourceID(slot: slot, generation: slots[slot].generation)
  }

  func handler(of source: SourceID) -> Handler? {
    guard slots.indices.contains(source.slot), slots[source.slot].generation == source.generation else { return nil }
    return slots[source.slot].handler
  }

  func descriptor(of source: SourceID) -> Int32? {
    guard slots.indices.contains(source.slot), slots[source.slot].generation == source.generation,
      slots[source.slot].handler != nil
    else { return nil }
    return slots[source.slot].descriptor
  }

  /// Frees the slot and returns its descriptor; nil if the registration has ended. It also returns
  /// the handler, to be released outside this table: a handler's deinit may call the loop.
  mutating func remove(_ source: SourceID) -> (descriptor: Int32, handler: Handler?)? {
    guard let descriptor = descriptor(of: source) else { return nil }
    let handler = slots[source.slot].handler
    slots[source.slot].handler = nil
    slots[source.slot].descriptor = -1
    slots[source.slot].generation &+= 1
    free.append(source.slot)
    return (descriptor, handler)
  }
}
