import CLinux
import Glibc

@testable import UnixSocket

/// Counts of a process's descriptors before and after, each alone in a process.
///
/// They are separate functions, because Swift may release the objects of a scope that ends in
/// `exit` early.
enum DescriptorAccounts {
  private static func counter() throws -> FileDescriptor {
    try FileDescriptor(result: clinux_eventfd(), of: "Making a counter")
  }

  /// Returns the number of open descriptors once it is stable, since a starting test process opens
  /// and closes some.
  private static func restingCount() -> Int {
    var count = openDescriptorCount()
    var same = 0
    for _ in 0..<500 where same < 10 {
      usleep(2_000)
      let now = openDescriptorCount()
      same = now == count ? same + 1 : 0
      count = now
    }
    return count
  }

  /// Whether the number is the same after 100,000 messages, half of them refused with their
  /// descriptor.
  static func afterManyMessages() throws -> Bool {
    let pair = try ConnectedPair()
    pair.server.setPassRights(true)
    let sent = OwnedDescriptors(try counter())
    let before = restingCount()
    do {
      let extra = try counter()
      // Proves that the count can change.
      guard extra.number >= 0, restingCount() == before + 1 else { return false }
    }
    var bytes = [UInt8](repeating: 0, count: 64)
    for round in 0..<100_000 {
      try pair.client.send([1].span, descriptors: sent)
      if round % 2 == 0 {
        var received = OwnedDescriptors()
        let outcome = try bytes.withUnsafeMutableBytes { try pair.server.receive(into: $0, descriptors: &received) }
        guard outcome == .bytes(2), received.count == 1 else { return false }
      } else {
        let outcome = try bytes.withUnsafeMutableBytes { try pair.server.receive(into: $0) }
        guard outcome == .descriptorsRefused else { return false }
      }
    }
    return withExtendedLifetime(pair) { restingCount() == before }
  }

  /// Whether a message of four descriptors is refused whole if only one fits.
  static func afterExhaustion() throws -> Bool {
    let pair = try ConnectedPair()
    pair.server.setPassRights(true)
    var sent = OwnedDescriptors()
    for _ in 0..<4 { sent.append(try counter()) }
    try pair.client.send([1].span, descriptors: sent)
    let before = restingCount()
    let lowestFree = try counter().number
    var limit = rlimit(rlim_cur: rlim_t(lowestFree + 1), rlim_max: rlim_t(lowestFree + 1))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var received = OwnedDescriptors()
    let outcome = try pair.receive(descriptors: &received).outcome
    _ = received.takeAll()
    return withExtendedLifetime(pair) { outcome == .descriptorsRefused && openDescriptorCount() == before }
  }
}
