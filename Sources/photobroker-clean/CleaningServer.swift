import CLinux
import Cleaning
import Glibc
import UnixSocket

/// Answers the broker's requests on descriptor 3.
enum CleaningServer {
  private static let requestLimitBytes = 256

  /// Returns the exit status.
  static func run() -> Int32 {
    do {
      // Made before the lock-down, because it changes the socket's flags.
      let connection = try BlockingConnection(FileDescriptor(owning: 3), limitBytes: requestLimitBytes)
      if let step = lockDown() {
        CleanProgram.say("photobroker-clean: cannot lock down: \(step) failed; no file was read")
        return 70
      }
      try serve(connection)
      return 0
    } catch {
      CleanProgram.say("photobroker-clean: \(error)")
      return 1
    }
  }

  /// Gives up everything but memory and open descriptors; answers the step that failed.
  private static func lockDown() -> String? {
    // An empty answer initialises what the runtime loads at first use.
    _ = CleaningMessage.answer(.uncleanable(.unreadable), sequence: 0, isLast: false)
    guard clinux_no_new_privileges() == 0, clinux_set_dumpable(0) == 0 else { return "giving up privileges" }
    let rules = clinux_ruleset()
    if rules >= 0 {
      defer { close(rules) }
      guard clinux_restrict(rules) == 0 else { return "Landlock" }
    } else if rules != -ENOSYS, rules != -EOPNOTSUPP {
      return "Landlock"
    }
    return clinux_lock_down() == 0 ? nil : "the system call filter"
  }

  private static func serve(_ connection: BlockingConnection) throws {
    while var frame = try connection.receive() {
      let isLast = hasUsedHalf()
      switch CleaningMessage.Request(frame.bytes) {
      case .ping(let sequence): try connection.send(Array("ok \(sequence)\n".utf8).span)
      case .bad: try connection.send(Array("bad 0\n".utf8).span)
      case .plan(let sequence, let withheld):
        var outcome = CleaningOutcome.uncleanable(.unreadable)
        if let file = frame.descriptors.takeFirst(), let source = FileSource(descriptor: file.number) {
          outcome = CleaningPlanner.outcome(of: source, withholding: withheld)
        }
        try connection.send(CleaningMessage.answer(outcome, sequence: sequence, isLast: isLast).span)
        if isLast { return }
      }
    }
  }

  private static func hasUsedHalf() -> Bool {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return UInt64(max(0, usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)) > CleaningMessage.processorSeconds / 2
  }
}
