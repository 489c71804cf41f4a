import Delivery
import Glibc
import Limits
import Monitor
import UnixSocket

/// The copies that each user's programs hold. A copy stays in memory as long as anybody has its
/// descriptor open, and counts as the broker's memory, so it has a quota.
struct HandedCopies {
  /// Each copy also costs a descriptor, and there are fewer of those.
  private static let leastBytes = 1 << 20

  private struct Entry {
    let watch: CopyWatch
    /// Nil after the broker dropped its own reference; the copy can then not be handed out again.
    weak var copy: SealedCopy?

    var cost: Int { max(watch.byteCount, HandedCopies.leastBytes) }
  }

  private var byUser: [UInt32: [Entry]] = [:]
  private var known: [UInt32: Set<ObjectIdentifier>] = [:]
  private var bytes: Quota<UInt32>
  private var sweptAll: MonotonicTime?

  /// - Parameter limit: Bytes of all users' copies.
  init(
    limit: Int = MachineMemory.part(ServiceLimits.handedMemoryShare, least: ServiceLimits.handedBytesPerUser / 2),
    limitPerUser: Int = ServiceLimits.handedBytesPerUser
  ) {
    bytes = Quota(limit: limit, limitPerUser: limitPerUser)
  }

  /// Counts a copy for a user, if their quota allows it. Before it refuses, it looks for copies
  /// that were closed.
  mutating func hand(_ copy: SealedCopy, to uid: UInt32) -> Bool {
    let cost = max(copy.byteCount, Self.leastBytes)
    if known[uid]?.contains(ObjectIdentifier(copy)) ?? false,
      byUser[uid]?.contains(where: { $0.copy === copy }) ?? false
    {
      return true
    }
    if !bytes.mayAdd(cost, for: uid) { sweep(uid) }
    if !bytes.mayAdd(cost, for: uid) { sweepAll() }
    guard bytes.mayAdd(cost, for: uid), let watch = try? CopyWatch(copy) else { return false }
    byUser[uid, default: []].append(Entry(watch: watch, copy: copy))
    known[uid, default: []].insert(ObjectIdentifier(copy))
    bytes.add(cost, for: uid)
    return true
  }

  /// Sweeps at most five times a second, because a sweep visits every copy.
  private mutating func sweepAll() {
    let now = MonotonicTime.now
    guard sweptAll.map({ $0.advanced(by: .milliseconds(200)) < now }) ?? true else { return }
    sweptAll = now
    for uid in Array(byUser.keys) { sweep(uid) }
  }

  private mutating func sweep(_ uid: UInt32) {
    let held = (byUser[uid] ?? []).filter(\.watch.isHeld)
    byUser[uid] = held.isEmpty ? nil : held
    known[uid] = held.isEmpty ? nil : Set(held.compactMap { $0.copy.map(ObjectIdentifier.init) })
    bytes.giveBack(bytes.held[uid, default: 0] - held.reduce(0) { $0 + $1.cost }, of: uid)
  }
}
