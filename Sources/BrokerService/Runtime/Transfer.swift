import Synchronization

/// How far a copy has come and whether anybody still wants it: set on the loop, read on a worker,
/// and the other way round.
final class Transfer: Sendable {
  private let received = Atomic<Int>(0)
  private let wanted = Atomic<Bool>(true)

  /// On the worker: how many bytes there are. False: nobody wants more.
  func note(_ count: Int) -> Bool {
    received.store(count, ordering: .relaxed)
    return wanted.load(ordering: .relaxed)
  }

  var isWanted: Bool { wanted.load(ordering: .relaxed) }
  var count: Int { received.load(ordering: .relaxed) }
  func cancel() { wanted.store(false, ordering: .relaxed) }
}
