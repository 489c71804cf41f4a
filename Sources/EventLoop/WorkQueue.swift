import Monitor

/// A bounded queue of work for worker threads.
final class WorkQueue: Sendable {
  private struct State {
    var items: [@Sendable () -> Void] = []
    /// The index of the next item, so that taking one moves nothing.
    var head = 0
    var isStopped = false
  }

  private let limit: Int
  private let state = Monitor(State())

  init(limit: Int) { self.limit = limit }

  var count: Int { state.withLock { $0.items.count - $0.head } }

  /// - Throws: `queueFull`, `notRunning`.
  func add(_ item: @escaping @Sendable () -> Void) throws(EventLoopError) {
    try state.changeForOne { (state) throws(EventLoopError) in
      guard !state.isStopped else { throw .notRunning("The worker") }
      guard state.items.count - state.head < limit else { throw .queueFull(limit: limit) }
      state.items.append(item)
    }
  }

  /// Runs items until `stop`.
  func work() {
    while let item = next() { item() }
  }

  /// Ends the threads. Queued items are released outside the lock, since their deinit may call this
  /// queue.
  func stop() {
    let dropped = state.change { state in
      state.isStopped = true
      defer { (state.items, state.head) = ([], 0) }
      return state.items
    }
    _ = consume dropped
  }

  private func next() -> (@Sendable () -> Void)? {
    let found = state.wait(until: .never) { [limit] state -> (@Sendable () -> Void)?? in
      if state.isStopped { return .some(nil) }
      guard state.head < state.items.count else { return nil }
      let item = state.items[state.head]
      state.items[state.head] = {}
      state.head += 1
      if state.head == state.items.count {
        state.items.removeAll(keepingCapacity: true)
        state.head = 0
      } else if state.head >= limit {
        state.items.removeFirst(state.head)
        state.head = 0
      }
      return item
    }
    return found ?? nil
  }
}
