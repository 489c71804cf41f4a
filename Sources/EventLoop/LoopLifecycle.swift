import Monitor

/// One start, one end, and any number of threads that wait for the end.
final class LoopLifecycle: Sendable {
  private enum Phase { case new, begun, ended }

  private let phase = Monitor(Phase.new)

  /// Returns whether this is the first call.
  func begin() -> Bool {
    phase.withLock { phase in
      guard phase == .new else { return false }
      phase = .begun
      return true
    }
  }

  func end() { phase.change { $0 = .ended } }

  /// Waits for the end; returns at once if nothing was started.
  func waitForEnd() { phase.wait(until: .never) { $0 == .begun ? nil : () } }
}
