import Broker
import Cleaning
import CleaningClient
import Delivery
import Macaroons
import UnixSocket

/// Plans how withheld facts are overwritten in a file's bytes (R150), in a locked-down process that
/// the first call starts. Blocks, so it is called on workers only.
final class WorkerCleaner: Sendable {
  private let client: CleaningClient

  init(program: String) { client = CleaningClient(worker: program) }

  /// Ends its process for good.
  func stop() { client.stop() }

  /// - Throws: `notCleaned` if it is not certain that the facts would be gone; `readerGone` if it was
  ///   cancelled; `system`.
  func plan(
    of file: borrowing FileDescriptor, without withheld: WithheldFacts, isWanted: () -> Bool
  ) throws(DeliveryError) -> CleaningPlan {
    let outcome: CleaningOutcome
    do throws(CleaningError) {
      outcome = try client.plan(of: file, withholding: ErasedFacts(withheld), isWanted: isWanted)
    } catch {
      guard isWanted() else { throw .readerGone }
      throw .cleanerFailed(error.message)
    }
    switch outcome {
    case .plan(let plan): return plan
    case .uncleanable(let reason): throw .notCleaned(reason.explanation)
    }
  }
}

extension ErasedFacts {
  init(_ facts: WithheldFacts) {
    self = []
    if facts.contains(.location) { insert(.location) }
    if facts.contains(.captions) { insert(.captions) }
  }
}
