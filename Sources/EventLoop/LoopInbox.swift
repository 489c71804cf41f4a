import Synchronization

/// What other threads, and the loop itself, have left to run on the loop, in order.
final class LoopInbox: Sendable {
  /// One thing to run.
  enum Item: Sendable {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private struct State: Sendable {
    var items: [Item] = []
    /// The waker has been signalled and the loop has not looked yet: another signal would only cost a system call.
    var isWakePending = false
  }

  private let state = Mutex(State())

  /// Adds an item; whether the loop must be woken for it.
  func add(_ item: Item, isOnLoop: Bool) -> Bool {
    state.withLock { state in
      state.items.append(item)
      guard !isOnLoop, !state.isWakePending else { return false }
      state.isWakePending = true
      return true
    }
  }

  /// Swaps what has come in for an empty array that keeps its room.
  func take(into items: inout [Item]) {
    state.withLock { state in
      swap(&state.items, &items)
      state.isWakePending = false
    }
  }

  /// Whether something waits.
  var isEmpty: Bool { state.withLock { $0.items.isEmpty } }
}
