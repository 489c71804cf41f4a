import Synchronization

/// Keys for processes without a number here, in a sibling or parent process namespace.
enum HiddenProcesses {
  private static let connections = Atomic<Int64>(0)
  /// Above all inodes of processes.
  private static let unknown: Int64 = 1 << 62

  /// A negative key: one for each process, or one for each connection if the kernel does not
  /// identify the process.
  static func key(of process: PeerProcess) -> Int64 {
    if let identity = process.identity, identity < UInt64(unknown) { return -Int64(identity) }
    return -unknown - connections.add(1, ordering: .relaxed).newValue
  }
}
