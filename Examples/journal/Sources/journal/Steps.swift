import Synchronization

/// The progress of a transfer, reported from another thread.
final class Steps: Sendable {
  private let state = Mutex((last: 0.0, areInOrder: true))

  func add(_ part: Double) {
    state.withLock { $0 = (part, $0.areInOrder && part >= $0.last) }
  }

  var last: Double { state.withLock { $0.last } }
  var areInOrder: Bool { state.withLock { $0.areInOrder } }
}
