import Monitor

/// A cache of sealed copies: a second read of a photo costs only the passing of a descriptor.
///
/// There is one per library, so that no fault, limit or lookup time crosses libraries (R129). A key
/// must contain asset, resource, content version and grant: with a shared entry, one app could
/// learn from timing that another had read it. Removed copies stay readable for apps that hold a
/// descriptor. Thread-safe.
package final class SealedCopyCache<Key: Hashable & Sendable>: Sendable {
  private struct State {
    var table = RecencyTable<Key, Kept>()
    var making: [Key: CopyJob] = [:]
  }

  private struct Kept {
    let copy: SealedCopy
    let memory: SharedAllowance.Share
  }

  /// A copy in the making, which other threads may await; guarded by the monitor.
  private final class CopyJob {
    var result: Result<SealedCopy, DeliveryError>?
    var isForgotten = false
  }

  private enum Part {
    case done(SealedCopy)
    case make(CopyJob)
    case wait(CopyJob)
  }

  /// The interval at which a waiting thread asks whether the copy is still wanted.
  private static var patience: Duration { .milliseconds(100) }

  private let state = Monitor(State())
  private let byteLimit: Int
  private let entryLimit: Int
  private let leastCost: Int
  private let memory: SharedAllowance
  private let user: UInt32

  /// - Parameters:
  ///   - byteLimit: The limit for all cached copies; a larger single copy is not cached.
  ///   - entryLimit: The greatest number of copies, each of which costs the daemon a descriptor.
  ///   - leastCost: The minimum that a copy counts.
  ///   - memory: The quota shared by all caches.
  ///   - user: The user charged for it.
  package init(
    byteLimit: Int, entryLimit: Int, leastCost: Int = 0, memory: SharedAllowance = .unlimited, user: UInt32 = 0
  ) {
    self.byteLimit = byteLimit
    self.entryLimit = entryLimit
    self.leastCost = leastCost
    self.memory = memory
    self.user = user
  }

  /// The cached copy, without waiting for one in the making: for the event loop.
  package func kept(_ key: Key) -> SealedCopy? {
    state.withLock { $0.table.use(key)?.copy }
  }

  /// Returns the cached copy or makes one. Concurrent calls for one key make a single copy.
  ///
  /// Blocks as long as the making thread does: call it on a worker.
  /// - Parameter isWanted: Called by the making thread once the copy is made; false drops it for
  ///   everybody. A waiting thread calls it at intervals and stops waiting on false.
  /// - Throws: The errors of `make`, to all waiting threads; nothing is cached then. `readerGone`
  ///   if the copy is not wanted any more.
  package func copy(
    for key: Key, isWanted: () -> Bool = { true }, make: () throws(DeliveryError) -> SealedCopy
  ) throws(DeliveryError) -> SealedCopy {
    let part = state.withLock { state -> Part in
      if let kept = state.table.use(key) { return .done(kept.copy) }
      if let making = state.making[key] { return .wait(making) }
      let making = CopyJob()
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
      // Freeing megabytes takes long, so evicted copies are released outside the lock.
      let evicted = state.change { state in finish(making, key, result, &state) }
      withExtendedLifetime(evicted) {}
      return try result.get()
    }
  }

  private func finish(
    _ making: CopyJob, _ key: Key, _ result: Result<SealedCopy, DeliveryError>, _ state: inout State
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

  /// A share of memory for one more copy, after evicting the oldest ones; nil if there is still
  /// none.
  private func room(for copy: SealedCopy, _ state: inout State, _ evicted: inout [SealedCopy]) -> SharedAllowance.Share?
  {
    while true {
      if let share = memory.take(max(copy.byteCount, leastCost), of: user) { return share }
      guard let oldest = state.table.removeOldest() else { return nil }
      oldest.memory.end()
      evicted.append(oldest.copy)
    }
  }

  /// Removes the copies with matching keys, and drops those in the making: after a revocation, a
  /// change of the asset, or the library's removal.
  package func remove(where matches: (Key) -> Bool) {
    let removed = state.withLock { state -> [SealedCopy] in
      for key in state.making.keys.filter(matches) {
        state.making.removeValue(forKey: key)?.isForgotten = true
      }
      return state.table.removeAll(where: matches).map(\.copy)
    }
    withExtendedLifetime(removed) {}
  }

  /// Keys of copies that are cached or in the making, unordered.
  package func keys(where matches: (Key) -> Bool) -> [Key] {
    state.withLock { $0.table.keys.filter(matches) + $0.making.keys.filter(matches) }
  }

  /// The number of cached bytes and copies.
  package var usage: (bytes: Int, entries: Int) {
    state.withLock { ($0.table.cost, $0.table.count) }
  }
}
