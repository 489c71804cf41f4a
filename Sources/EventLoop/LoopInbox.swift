import Synchronization

/// Queued jobs from all threads, in order.
final class LoopInbox: Sendable {
  enum Item: Sendable {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private struct State: Sendable {
    var items: [Item] = []
    /// Whether the waker is signalled. A second signal would only cost a system call.
    var isWakePending = false
  }

  private let state = Mutex(State())

  /// Adds an item; returns whether the loop must be woken for it.
  func add(_ item: Item, isOnLoop: Bool) -> Bool {
    state.withLock { state in
      state.items.append(item)
      guard !isOnLoop, !state.isWakePending else { return false }
      state.isWakePending = true
      return true
    }
  }

  /// Swaps the queued items for an empty array, which keeps its capacity.
  func take(into items: inout [Item]) {
    state.withLock { state in
      swap(&state.items, &items)
      state.isWakePending = false
    }
  }

  var isEmpty: Bool { state.withLock { $0.items.isEmpty } }
}
