import EventLoop
import Limits
import UnixSocket

/// How many connections each process and user has, and the descriptor that tells when a process ends.
struct ProcessTable {
  private struct Entry {
    let uid: UInt32
    var connections = 0
    /// Held while the process is watched.
    var process: PeerProcess?
    var source: SourceID?
  }

  private var entries: [Int64: Entry] = [:]
  private var perUser: [UInt32: Int] = [:]
  /// Processes that each user has here. They are watched, with a descriptor each, for as long as they live.
  private var watchedPerUser: [UInt32: Int] = [:]
  /// Connections of all users, and processes.
  private let limit: Int

  init(limit: Int = OpenFiles.connections) { self.limit = limit }

  /// Whether a user and a process have less than each may have.
  func mayAdd(_ peer: PeerIdentity) -> Bool {
    guard perUser[peer.uid, default: 0] < ServiceLimits.connectionsPerUser else { return false }
    guard let entry = entries[peer.processKey] else {
      return watchedPerUser[peer.uid, default: 0] < ServiceLimits.processesPerUser
    }
    return entry.connections < ServiceLimits.connectionsPerProcess
  }

  /// Where a user's next connection comes from.
  func connection(for uid: UInt32) -> FairShare<UInt32>.Place { FairShare(held: perUser, limit: limit).place(for: uid) }

  /// Where the place of a connection's process comes from; one that is known has one.
  func process(for peer: PeerIdentity) -> FairShare<UInt32>.Place {
    guard entries[peer.processKey] == nil else { return .free }
    return FairShare(held: watchedPerUser, limit: limit).place(for: peer.uid)
  }

  /// Of these users' processes the one with the fewest connections.
  func leastUsed(of users: Set<UInt32>) -> Int64? {
    entries.filter { users.contains($0.value.uid) }.min {
      ($0.value.connections, $0.key) < ($1.value.connections, $1.key)
    }?.key
  }

  /// Whether the process that has an entry under this key has ended, though nobody was told yet.
  func hasEnded(_ key: Int64) -> Bool { entries[key]?.process?.hasExited ?? false }

  /// Counts a connection. True: it is the first one of its process, which is to be watched.
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

  /// - Parameter hasOutlivedProcess: The entry under its process's key is of another process by now, if there is one.
  mutating func closed(_ peer: PeerIdentity, hasOutlivedProcess: Bool) {
    Self.countDown(&perUser, peer.uid)
    if !hasOutlivedProcess { entries[peer.processKey]?.connections -= 1 }
  }

  /// The process has ended; answers what watched it. Until then its entry stays: a life cycle outlives its connections.
  mutating func remove(_ key: Int64) -> SourceID? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    Self.countDown(&watchedPerUser, entry.uid)
    return entry.source
  }

  /// A user of whom nothing is left leaves no entry.
  private static func countDown(_ counts: inout [UInt32: Int], _ uid: UInt32) {
    let left = counts[uid, default: 0] - 1
    counts[uid] = left > 0 ? left : nil
  }
}
