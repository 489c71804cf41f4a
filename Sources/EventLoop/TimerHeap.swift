import Monitor

/// A binary heap of timers by deadline. Of equal deadlines the first scheduled comes first.
/// Cancelling removes a timer at once.
struct TimerHeap {
  typealias Action = () -> Void

  private struct Entry {
    let deadline: MonotonicTime
    let sequence: UInt64
    let slot: Int

    func isBefore(_ other: Entry) -> Bool {
      deadline == other.deadline ? sequence < other.sequence : deadline < other.deadline
    }
  }

  private struct Slot {
    var generation: UInt64 = 0
    /// The entry's index in the heap.
    var position = 0
    var action: Action?
  }

  private var heap: [Entry] = []
  private var slots: [Slot] = []
  private var free: [Int] = []
  private var sequence: UInt64 = 0

  var isEmpty: Bool { heap.isEmpty }
  var count: Int { heap.count }
  var first: MonotonicTime? { heap.first?.deadline }

  /// Adds a timer in logarithmic time.
  mutating func schedule(at deadline: MonotonicTime, _ action: @escaping Action) -> TimerID {
    let slot: Int
    if let reused = free.popLast() {
      slot = reused
    } else {
      slot = slots.count
      slots.append(Slot())
    }
    slots[slot].action = action
    sequence &+= 1
    heap.append(Entry(deadline: deadline, sequence: sequence, slot: slot))
    slots[slot].position = heap.count - 1
    siftUp(heap.count - 1)
    return TimerID(slot: slot, generation: slots[slot].generation)
  }

  /// Removes a timer and returns its action, to be released outside the heap; nil if it has run.
  mutating func cancel(_ timer: TimerID) -> Action? {
    guard slots.indices.contains(timer.slot), slots[timer.slot].generation == timer.generation else { return nil }
    return remove(at: slots[timer.slot].position)
  }

  /// Takes the earliest timer that is due.
  mutating func takeDue(at now: MonotonicTime) -> Action? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    return remove(at: 0)
  }

  private mutating func remove(at position: Int) -> Action? {
    let slot = heap[position].slot
    let last = heap.count - 1
    if position != last {
      swapEntries(position, last)
      heap.removeLast()
      siftDown(position)
      siftUp(position)
    } else {
      heap.removeLast()
    }
    let action = slots[slot].action
    slots[slot].action = nil
    slots[slot].generation &+= 1
    free.append(slot)
    return action
  }

  private mutating func siftUp(_ start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 2
      guard heap[position].isBefore(heap[parent]) else { return }
      swapEntries(position, parent)
      position = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var position = start
    while true {
      let left = 2 * position + 1
      guard left < heap.count else { return }
      let right = left + 1
      let child = right < heap.count && heap[right].isBefore(heap[left]) ? right : left
      guard heap[child].isBefore(heap[position]) else { return }
      swapEntries(position, child)
      position = child
    }
  }

  private mutating func swapEntries(_ one: Int, _ other: Int) {
    heap.swapAt(one, other)
    slots[heap[one].slot].position = one
    slots[heap[other].slot].position = other
  }
}
