import EventLoop
import UnixSocket

/// How many connections each process and user has, and the descriptor that tells when a process ends.
struct ProcessTable {
  private struct Entry {
    var connections = 0
    /// Held while the process is watched.
    var process: PeerProcess?
    var source: SourceID?
  }

  private var entries: [Int32: Entry] = [:]
  private var perUser: [UInt32: Int] = [:]
  private var total = 0

  func mayAdd(_ peer: PeerIdentity) -> Bool {
    total < ServiceLimits.connections && perUser[peer.uid, default: 0] < ServiceLimits.connectionsPerUser
      && (entries[peer.pid]?.connections ?? 0) < ServiceLimits.connectionsPerProcess
  }

  /// Counts a connection. True: it is the first one of its process, which is to be watched.
  mutating func add(_ peer: PeerIdentity) -> Bool {
    total += 1
    perUser[peer.uid, default: 0] += 1
    entries[peer.pid, default: Entry()].connections += 1
    return entries[peer.pid]?.source == nil
  }

  mutating func watch(_ pid: Int32, _ process: PeerProcess, _ source: SourceID) {
    entries[pid]?.process = process
    entries[pid]?.source = source
  }

  mutating func closed(_ peer: PeerIdentity) {
    total -= 1
    perUser[peer.uid, default: 1] -= 1
    entries[peer.pid]?.connections -= 1
  }

  /// The process has ended; answers what watched it. Until then its entry stays: a life cycle outlives its connections.
  mutating func remove(_ pid: Int32) -> SourceID? { entries.removeValue(forKey: pid)?.source }
}
