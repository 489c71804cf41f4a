import Glibc
import Synchronization

/// One start, one end, and any number of threads that wait for the end.
final class LoopLifecycle: Sendable {
  private enum Phase: UInt8, AtomicRepresentable { case new, begun, ended }

  private let phase = Atomic<Phase>(.new)
  private let gate = Gate()

  /// Returns whether this is the first call.
  func begin() -> Bool {
    phase.compareExchange(expected: .new, desired: .begun, ordering: .acquiringAndReleasing).exchanged
  }

  func end() {
    phase.store(.ended, ordering: .releasing)
    gate.open()
  }

  /// Waits for the end; returns at once if nothing was started.
  func waitForEnd() {
    if phase.load(ordering: .acquiring) == .begun { gate.wait() }
  }
}
