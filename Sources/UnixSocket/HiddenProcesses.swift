import Synchronization

/// Names for processes without a number here: they live in a process namespace beside this one, or above it.
enum HiddenProcesses {
  private static let connections = Atomic<Int64>(0)
  /// Above every inode that the kernel gives to a process.
  private static let unknown: Int64 = 1 << 62

  /// Negative; the same for all connections of one process where the kernel tells that, else another one for each.
  static func key(of process: PeerProcess) -> Int64 {
    if let identity = process.identity, identity < UInt64(unknown) { return -Int64(identity) }
    return -unknown - connections.add(1, ordering: .relaxed).newValue
  }
}
