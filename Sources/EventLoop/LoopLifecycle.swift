import Glibc
import Synchronization

/// Started once, ended once, and waited for by any number of threads.
final class LoopLifecycle: Sendable {
  private enum Phase: UInt8, AtomicRepresentable { case new, begun, ended }

  private let phase = Atomic<Phase>(.new)
  private let gate = Gate()

  /// Whether this was the first call.
  func begin() -> Bool {
    phase.compareExchange(expected: .new, desired: .begun, ordering: .acquiringAndReleasing).exchanged
  }

  /// Lets all waiters go.
  func end() {
    phase.store(.ended, ordering: .releasing)
    gate.open()
  }

  /// Returns at once when nothing was begun.
  func waitForEnd() {
    if phase.load(ordering: .acquiring) == .begun { gate.wait() }
  }
}
