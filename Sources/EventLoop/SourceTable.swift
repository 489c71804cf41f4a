/// The registered descriptors, found by the token that the kernel hands back; a stale token finds nothing.
struct SourceTable {
  /// What runs when a source is ready.
  typealias Handler = (Readiness) -> Void

  private struct Slot {
    var generation: UInt32 = 0
    var descriptor: Int32 = -1
    var handler: Handler?
  }

  private var slots: [Slot] = []
  private var free: [Int] = []

  /// Takes a slot.
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

  /// The handler of a live registration.
  func handler(of source: SourceID) -> Handler? {
    guard slots.indices.contains(source.slot), slots[source.slot].generation == source.generation else { return nil }
    return slots[source.slot].handler
  }

  /// The descriptor of a live registration.
  func descriptor(of source: SourceID) -> Int32? {
    guard slots.indices.contains(source.slot), slots[source.slot].generation == source.generation,
      slots[source.slot].handler != nil
    else { return nil }
    return slots[source.slot].descriptor
  }

  /// Frees the slot; its descriptor, or nil when the registration is over already. The handler is
  /// returned so that it is released outside of this table: what it holds may call the loop when it
  /// goes.
  mutating func remove(_ source: SourceID) -> (descriptor: Int32, handler: Handler?)? {
    guard let descriptor = descriptor(of: source) else { return nil }
    let handler = slots[source.slot].handler
    slots[source.slot].handler = nil
    slots[source.slot].descriptor = -1
    slots[source.slot].generation &+= 1
    free.append(source.slot)
    return (descriptor, handler)
  }

  /// How many are registered.
  var count: Int { slots.count - free.count }
}
