import CLinux
import Glibc

/// A named thread that nobody joins.
package enum LoopThread {
  /// Who goes before whom where processors are scarce.
  package enum Turns: Sendable {
    /// Answers many, each in a moment: goes before others when there is something to answer.
    case short
    /// Works at a piece that somebody waits for: whoever wakes up goes before it.
    case long
    /// Works at a piece that nobody waits for: it interrupts nobody when it wakes up itself either.
    case patient
    /// Stands back, by 1 to 19.
    case standingBack(Int32)

    fileprivate func take() {
      // A kernel that refuses serves all alike.
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

  /// Runs `body` on a new thread, whose name is cut to the 15 bytes that the kernel keeps.
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
