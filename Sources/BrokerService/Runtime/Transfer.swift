import Synchronization

/// Progress of a copy, and whether it is still wanted. Shared between the loop and a worker.
final class Transfer: Sendable {
  private let received = Atomic<Int>(0)
  private let wanted = Atomic<Bool>(true)

  /// Called on the worker with the number of bytes so far. False: cancelled.
  func note(_ count: Int) -> Bool {
    received.store(count, ordering: .relaxed)
    return wanted.load(ordering: .relaxed)
  }

  var isWanted: Bool { wanted.load(ordering: .relaxed) }
  var count: Int { received.load(ordering: .relaxed) }
  func cancel() { wanted.store(false, ordering: .relaxed) }
}
