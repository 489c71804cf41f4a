import Broker
import Synchronization

/// The results of completions, in order.
final class Recorder: Sendable {
  private let state = Mutex<[(Int, StoreFailure?)]>([])

  func note(_ number: Int, _ failure: StoreFailure?) { state.withLock { $0.append((number, failure)) } }
  var numbers: [Int] { state.withLock { $0.map(\.0) } }
  var failed: [Int] { state.withLock { $0.filter { $0.1 != nil }.map(\.0) } }
  var succeeded: [Int] { state.withLock { $0.filter { $0.1 == nil }.map(\.0) } }
  var codes: [StoreFailure.Code?] { state.withLock { $0.map { $0.1?.code } } }
}
