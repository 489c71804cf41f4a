package import Cleaning
import Glibc
package import Supervisor
import Synchronization
package import UnixSocket

/// Asks the cleaning worker for plans.
///
/// Calls block and run one at a time: make them on worker threads. The worker is a locked-down
/// process, started at the first call and after each end. It reads the file and writes nothing: the
/// caller applies the plan to its own copy of the same bytes. Answers are validated as hostile
/// input.
package final class CleaningClient: Sendable {
  private let supervisor: Supervisor
  private let path: String
  private let limits: CleaningAllowance
  private let sequence = Atomic<UInt64>(1)

  /// - Parameter path: The absolute path of `photobroker-clean`; need not exist.
  package init(worker path: String, limits: CleaningAllowance = CleaningAllowance()) {
    self.path = path
    self.limits = limits
    var options = ChildOptions(path: path)
    options.openFiles = 16
    options.dataBytes = 1 << 30
    options.fileBytes = 0
    options.processorSeconds = CleaningMessage.processorSeconds
    options.niceness = 5
    options.isFirstToEnd = true
    options.environment["MALLOC_ARENA_MAX"] = "1"
    supervisor = Supervisor(options, policy: .ofFileReaders) { connection in
      try connection.send(Array(CleaningMessage.Request.ping(0).text.utf8).span)
      guard let answer = try connection.receive(), answer.bytes.elementsEqual("ok 0\n".utf8) else {
        throw InvalidAnswer()
      }
    }
  }

  deinit { supervisor.stop() }

  /// The reason why the worker cannot be asked; nil if it can.
  package var absence: CleaningError? { Glibc.access(path, X_OK) == 0 ? nil : .missing(cause: errno) }

  /// The state of the worker's process.
  package var status: Supervisor.Status { supervisor.status }

  /// Ends the worker for good.
  package func stop() { supervisor.stop() }

  /// Plans the cleaning of a file.
  ///
  /// - Parameters:
  ///   - file: A sealed memory file, or a descriptor of a file that does not change meanwhile;
  ///     borrowed.
  ///   - isWanted: Asked at intervals while waiting for the turn; false cancels the call.
  /// - Returns: `uncleanable(.workerFailed)` if the worker crashed, took too long, or answered
  ///   nonsense: a file that does this has no certain plan.
  /// - Throws: `unavailable`, `busy`, `stopped`.
  package func plan(
    of file: borrowing FileDescriptor, withholding withheld: ErasedFacts, isWanted: () -> Bool = { true }
  ) throws(CleaningError) -> CleaningOutcome {
    if let absence { throw absence }
    var facts = stat()
    guard fstat(file.number, &facts) == 0 else { return .uncleanable(.unreadable) }
    let byteCount = Int(facts.st_size)
    let descriptors = try Self.duplicate(file)
    let number = sequence.add(1, ordering: .relaxed).newValue
    let request = CleaningMessage.Request.plan(number, withheld).text
    var isSent = false
    do {
      return try supervisor.withConnection(deadline: limits.deadline, isWanted: isWanted) { connection in
        isSent = true
        try connection.send(Array(request.utf8).span, descriptors: descriptors)
        guard let frame = try connection.receive(), frame.descriptors.isEmpty,
          let answer = CleaningMessage.read(frame.bytes, sequence: number, byteCount: byteCount)
        else { throw InvalidAnswer() }
        if answer.isLast { supervisor.awaitAnnouncedEnd() }
        return answer.outcome
      }
    } catch {
      return try Self.outcome(of: error, isSent: isSent)
    }
  }

  private static func duplicate(_ file: borrowing FileDescriptor) throws(CleaningError) -> OwnedDescriptors {
    do { return OwnedDescriptors(try file.duplicate()) } catch { throw .descriptors(cause: error.cause) }
  }

  private static func outcome(of error: SupervisorError, isSent: Bool) throws(CleaningError) -> CleaningOutcome {
    switch error.code {
    case .stopped, .abandoned: throw .stopped
    case .unavailable, .startFailed: throw .failing(error.message)
    case .deadlineExceeded:
      guard isSent else { throw .busy }
      return .uncleanable(.workerFailed)
    case .childExited, .protocolViolation:
      guard isSent else { throw .failing(error.message) }
      return .uncleanable(.workerFailed)
    }
  }
}

/// The worker's answer violates the protocol.
struct InvalidAnswer: Error {}
