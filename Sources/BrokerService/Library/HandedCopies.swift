import Broker
import Delivery
import Glibc
import Limits
import Monitor
import UnixSocket

/// The copies that each user's programs hold. A copy stays in memory as long as anybody has its
/// descriptor open, and counts as the broker's memory, so it has a quota.
final class HandedCopies {
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
  func hand(_ copy: SealedCopy, to uid: UInt32) -> Bool {
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

  /// Counts a copy against the user's quota, for as long as the app holds or streams it.
  /// - Throws: `limitExceeded` if the user's programs hold too much.
  func hand(_ copy: SealedCopy, for call: IncomingCall, _ permit: Permit) throws(CallFailure) {
    guard hand(copy, to: call.connection.socket.peer.uid) else {
      // Cached copies count too. Without them the next attempt may succeed.
      call.core.runtimes[permit.library].bytes.dropCopies(of: permit.app)
      throw .photos(
        .limitExceeded,
        "Programs of this user hold \(ServiceLimits.handedBytesPerUser >> 20) MiB of opened photos, which is the "
          + "limit; close some, or read in pieces.")
    }
  }

  /// A descriptor for one message; the copy keeps its own.
  func descriptors(
    of copy: SealedCopy, for call: IncomingCall, _ permit: Permit
  ) throws(CallFailure) -> SharedDescriptors {
    try hand(copy, for: call, permit)
    do { return SharedDescriptors(try copy.opened()) } catch {
      throw .photos(.internalError, "The broker has too many files open; try again in a moment.")
    }
  }

  /// Sweeps at most five times a second, because a sweep visits every copy.
  private func sweepAll() {
    let now = MonotonicTime.now
    guard sweptAll.map({ $0.advanced(by: .milliseconds(200)) < now }) ?? true else { return }
    sweptAll = now
    for uid in Array(byUser.keys) { sweep(uid) }
  }

  private func sweep(_ uid: UInt32) {
    let held = (byUser[uid] ?? []).filter(\.watch.isHeld)
    byUser[uid] = held.isEmpty ? nil : held
    known[uid] = held.isEmpty ? nil : Set(held.compactMap { $0.copy.map(ObjectIdentifier.init) })
    bytes.giveBack(bytes.held[uid, default: 0] - held.reduce(0) { $0 + $1.cost }, of: uid)
  }
}
