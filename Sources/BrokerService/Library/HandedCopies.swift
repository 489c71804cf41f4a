import Delivery
import Glibc
import Limits
import Monitor
import UnixSocket

/// The copies that programs of each user hold. Handed out by descriptor, they stay in memory for as
/// long as anybody has them open, and that memory counts as the broker's: one app that keeps them
/// all must not use up what there is.
struct HandedCopies {
  /// Each costs a descriptor besides its bytes, and there are fewer of those.
  private static let leastBytes = 1 << 20

  private struct Entry {
    let watch: CopyWatch
    /// As long as the copy is kept it is not handed out a second time as another one.
    weak var copy: SealedCopy?

    var cost: Int { max(watch.byteCount, HandedCopies.leastBytes) }
  }

  private var byUser: [UInt32: [Entry]] = [:]
  private var known: [UInt32: Set<ObjectIdentifier>] = [:]
  private var bytes: FairAllowance
  private var sweptAll: MonotonicTime?

  /// - Parameter limit: Bytes of all users' copies.
  init(
    limit: Int = MachineMemory.part(ServiceLimits.handedMemoryShare, least: ServiceLimits.handedBytesPerUser / 2),
    limitPerUser: Int = ServiceLimits.handedBytesPerUser
  ) {
    bytes = FairAllowance(limit: limit, limitPerUser: limitPerUser)
  }

  /// Whether a user's programs may be handed this copy, which is counted then. Those that they let go of are looked for
  /// before that is denied.
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

  /// However many ask, all of them are looked at a few times a second at most.
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
