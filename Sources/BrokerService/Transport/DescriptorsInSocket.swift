import Limits
import Monitor

/// Descriptors that were sent and wait in the socket for their reader.
struct DescriptorsInSocket {
  private(set) var count = 0
  /// Time since which the reader takes none.
  private var stalledSince: MonotonicTime?
  /// Whether sending is paused until the next check.
  var isStalled = false

  func hasRoom(for more: Int) -> Bool { count + more <= ServiceLimits.descriptorsInFlight }

  mutating func add(_ sent: Int) {
    stalledSince = nil
    count += sent
  }

  /// The reader has taken everything.
  mutating func takeAll() -> Int {
    defer { count = 0 }
    return count
  }

  /// Pauses sending. A connection that waits because of other users never waits too long.
  /// - Returns: False if the reader has taken nothing for too long.
  mutating func stall(forOthers: Bool) -> Bool {
    let now = MonotonicTime.now
    let since = forOthers ? now : stalledSince ?? now
    guard now < since.advanced(by: ServiceLimits.stallLimit) else { return false }
    stalledSince = since
    isStalled = true
    return true
  }
}
