import EventLoop
import Limits
import UnixSocket

/// Number of connections of each process and user, with the descriptor that reports a process's
/// end.
struct ProcessTable {
  private struct Entry {
    let uid: UInt32
    var connections = 0
    /// Kept while the process is watched.
    var process: PeerProcess?
    var source: SourceID?
  }

  private var entries: [Int64: Entry] = [:]
  private var perUser: [UInt32: Int] = [:]
  /// Processes of each user. Each is watched, with a descriptor, until it ends.
  private var watchedPerUser: [UInt32: Int] = [:]
  /// The most connections of all users, and the most processes.
  private let limit: Int

  init(limit: Int = OpenFiles.connections) { self.limit = limit }

  func mayAdd(_ peer: PeerIdentity) -> Bool {
    guard perUser[peer.uid, default: 0] < ServiceLimits.connectionsPerUser else { return false }
    guard let entry = entries[peer.processKey] else {
      return watchedPerUser[peer.uid, default: 0] < ServiceLimits.processesPerUser
    }
    return entry.connections < ServiceLimits.connectionsPerProcess
  }

  /// The source of the place for a user's next connection.
  func connection(for uid: UInt32) -> FairShare<UInt32>.Place { FairShare(held: perUser, limit: limit).place(for: uid) }

  /// The source of the place for a connection's process; a known process has one.
  func process(for peer: PeerIdentity) -> FairShare<UInt32>.Place {
    guard entries[peer.processKey] == nil else { return .free }
    return FairShare(held: watchedPerUser, limit: limit).place(for: peer.uid)
  }

  func leastUsed(of users: Set<UInt32>) -> Int64? {
    entries.filter { users.contains($0.value.uid) }.min {
      ($0.value.connections, $0.key) < ($1.value.connections, $1.key)
    }?.key
  }

  /// Whether the process under this key has ended without having been reported yet.
  func hasEnded(_ key: Int64) -> Bool { entries[key]?.process?.hasExited ?? false }

  /// Counts a connection. True: it is the first one of its process, which has to be watched.
  mutating func add(_ peer: PeerIdentity) -> Bool {
    perUser[peer.uid, default: 0] += 1
    if entries[peer.processKey] == nil { watchedPerUser[peer.uid, default: 0] += 1 }
    entries[peer.processKey, default: Entry(uid: peer.uid)].connections += 1
    return entries[peer.processKey]?.source == nil
  }

  mutating func watch(_ key: Int64, _ process: PeerProcess, _ source: SourceID) {
    entries[key]?.process = process
    entries[key]?.source = source
  }

  /// - Parameter hasOutlivedProcess: Whether the key may belong to a new process by now.
  mutating func closed(_ peer: PeerIdentity, hasOutlivedProcess: Bool) {
    Self.countDown(&perUser, peer.uid)
    if !hasOutlivedProcess { entries[peer.processKey]?.connections -= 1 }
  }

  /// Removes an ended process, and returns the source that watched it. Its entry outlives its
  /// connections until then.
  mutating func remove(_ key: Int64) -> SourceID? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    Self.countDown(&watchedPerUser, entry.uid)
    return entry.source
  }

  /// Removes the entry of a user at zero.
  private static func countDown(_ counts: inout [UInt32: Int], _ uid: UInt32) {
    let left = counts[uid, default: 0] - 1
    counts[uid] = left > 0 ? left : nil
  }
}
