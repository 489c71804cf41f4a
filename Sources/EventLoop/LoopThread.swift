import CLinux
import Glibc

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

  private final class Start: Sendable {
    let name: String
    let turns: Turns
    let body: @Sendable () -> Void

    init(name: String, turns: Turns, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.turns = turns
      self.body = body
    }
  }

  /// Runs `body` on a new thread. The kernel keeps 15 bytes of its name.
  ///
  /// - Throws: `system`.
  static func start(name: String, turns: Turns, _ body: @escaping @Sendable () -> Void) throws(EventLoopError) {
    let argument = Unmanaged.passRetained(Start(name: name, turns: turns, body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, &attributes,
      { raw in
        guard let raw else { return nil }
        let start = Unmanaged<Start>.fromOpaque(raw).takeRetainedValue()
        _ = clinux_set_thread_name(start.name)
        start.turns.take()
        start.body()
        return nil
      }, argument.toOpaque())
    guard result == 0 else {
      argument.release()
      throw .system("Starting a thread", result)
    }
  }
}
