import Monitor

/// Copies that are worth keeping: the second reader of a photo pays for passing a descriptor only.
///
/// One per library, so that no fault, limit or lookup time crosses libraries (R129). The key must hold, beside asset,
/// resource and content version, the grant that asks: a shared entry would let one app's reading show in the time of
/// another's. What is removed here is forgotten by the broker; a descriptor that an app already holds stays readable.
/// Safe to use from several threads.
package final class SealedCopyCache<Key: Hashable & Sendable>: Sendable {
  private struct State {
    var table = RecencyTable<Key, Kept>()
    var making: [Key: Making] = [:]
  }

  private struct Kept {
    let copy: SealedCopy
    let memory: SharedAllowance.Share
  }

  /// A copy that one thread makes and others may be waiting for; guarded by the monitor.
  private final class Making {
    var result: Result<SealedCopy, DeliveryError>?
    var isForgotten = false
  }

  private enum Part {
    case done(SealedCopy)
    case make(Making)
    case wait(Making)
  }

  /// How long who waits for a copy does before it asks again whether anybody wants it.
  private static var patience: Duration { .milliseconds(100) }

  private let state = Monitor(State())
  private let byteLimit: Int
  private let entryLimit: Int
  private let leastCost: Int
  private let memory: SharedAllowance
  private let user: UInt32

  /// - Parameters:
  ///   - byteLimit: The most that all kept copies hold together; a larger single copy is made and not kept.
  ///   - entryLimit: The most copies kept, each of which costs one descriptor of the daemon.
  ///   - leastCost: What a copy counts as there, however small it is.
  ///   - memory: What all caches together may take.
  ///   - user: Whose that counts as.
  package init(
    byteLimit: Int, entryLimit: Int, leastCost: Int = 0, memory: SharedAllowance = .unlimited, user: UInt32 = 0
  ) {
    self.byteLimit = byteLimit
    self.entryLimit = entryLimit
    self.leastCost = leastCost
    self.memory = memory
    self.user = user
  }

  /// What is kept, without ever waiting for a copy that is being made: for the event loop's thread.
  package func kept(_ key: Key) -> SealedCopy? {
    state.withLock { $0.table.use(key)?.copy }
  }

  /// What is kept, or what `make` makes; called by several threads at once for one key, it makes
  /// one copy.
  ///
  /// Blocks as long as the making thread does: call it on a worker.
  /// - Parameter isWanted: asked by the making thread when the copy is made; false: it is neither
  ///   kept nor given to anybody. Who waits for another thread's copy asks now and then, and waits
  ///   no longer than somebody wants it.
  /// - Throws: what `make` throws, to everybody who waited for it; nothing is kept then.
  ///   `readerGone` where nobody wants it.
  package func copy(
    for key: Key, isWanted: () -> Bool = { true }, make: () throws(DeliveryError) -> SealedCopy
  ) throws(DeliveryError) -> SealedCopy {
    let part = state.withLock { state -> Part in
      if let kept = state.table.use(key) { return .done(kept.copy) }
      if let making = state.making[key] { return .wait(making) }
      let making = Making()
      state.making[key] = making
      return .make(making)
    }
    switch part {
    case .done(let copy):
      return copy
    case .wait(let making):
      while isWanted() {
        if let result = state.wait(until: .after(Self.patience), for: { _ in making.result }) {
          return try result.get()
        }
      }
      throw .readerGone
    case .make(let making):
      let result = Result { () throws(DeliveryError) in
        let copy = try make()
        guard isWanted() else { throw .readerGone }
        return copy
      }
      // Freeing megabytes takes a while: the evicted ones die after the lock is open again.
      let evicted = state.change { state in finish(making, key, result, &state) }
      withExtendedLifetime(evicted) {}
      return try result.get()
    }
  }

  private func finish(
    _ making: Making, _ key: Key, _ result: Result<SealedCopy, DeliveryError>, _ state: inout State
  ) -> [SealedCopy] {
    making.result = result
    if state.making[key] === making { state.making[key] = nil }
    guard !making.isForgotten, case .success(let copy) = result, copy.byteCount <= byteLimit else { return [] }
    var evicted: [SealedCopy] = []
    if let before = state.table.remove(key) { evicted.append(before.copy) }
    guard let share = room(for: copy, &state, &evicted) else { return evicted }
    _ = state.table.insert(Kept(copy: copy, memory: share), for: key, cost: copy.byteCount)
    while state.table.cost > byteLimit || state.table.count > entryLimit, let oldest = state.table.removeOldest() {
      evicted.append(oldest.copy)
    }
    return evicted
  }

  /// Memory for one more, which the oldest make room for; nil where there is none even so.
  private func room(for copy: SealedCopy, _ state: inout State, _ evicted: inout [SealedCopy]) -> SharedAllowance.Share?
  {
    while true {
      if let share = memory.take(max(copy.byteCount, leastCost), of: user) { return share }
      guard let oldest = state.table.removeOldest() else { return nil }
      oldest.memory.end()
      evicted.append(oldest.copy)
    }
  }

  /// Forgets every copy whose key matches, and keeps none that is being made for such a key: after
  /// a revocation, a change of the asset, or when the library goes.
  package func remove(where matches: (Key) -> Bool) {
    let removed = state.withLock { state -> [SealedCopy] in
      for key in state.making.keys.filter(matches) {
        state.making.removeValue(forKey: key)?.isForgotten = true
      }
      return state.table.removeAll(where: matches).map(\.copy)
    }
    withExtendedLifetime(removed) {}
  }

  /// Keys of copies that are kept or being made, in no order.
  package func keys(where matches: (Key) -> Bool) -> [Key] {
    state.withLock { $0.table.keys.filter(matches) + $0.making.keys.filter(matches) }
  }

  /// How many bytes and copies are kept now.
  package var usage: (bytes: Int, entries: Int) {
    state.withLock { ($0.table.cost, $0.table.count) }
  }
}
