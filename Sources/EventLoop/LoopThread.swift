import CLinux
import Glibc
import Monitor

/// A named, detached thread.
package enum LoopThread {
  /// The scheduling of a thread if processors are scarce.
  package enum Turns: Sendable {
    /// For many short answers: preempts other threads as soon as it has work.
    case short
    /// For long work that somebody waits for: threads that wake up preempt it.
    case long
    /// For long work that nobody waits for: like `long`, and it preempts no thread when it wakes
    /// up.
    case patient
    /// For background work, with a niceness of 1 to 19.
    case standingBack(Int32)

    fileprivate func take() {
      // If the kernel refuses, all threads are scheduled alike.
      switch self {
      case .short: _ = clinux_take_short_turns()
      case .long: _ = clinux_take_long_turns()
      case .patient: _ = clinux_take_patient_turns()
      case .standingBack(let niceness): _ = clinux_stand_back(niceness)
      }
    }
  }

  /// Runs `body` on a new thread. The kernel keeps 15 bytes of its name.
  ///
  /// - Throws: `system`.
  static func start(name: String, turns: Turns, _ body: @escaping @Sendable () -> Void) throws(EventLoopError) {
    let isStarted = DetachedThread.start(stackBytes: 8 << 20) {
      _ = clinux_set_thread_name(name)
      turns.take()
      body()
    }
    guard isStarted else { throw .system("Starting a thread", errno) }
  }
}
