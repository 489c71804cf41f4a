import Synchronization

/// Whether the start on the loop's thread worked, for the thread that waits for the loop.
final class StartResult: Sendable {
  private let state = Mutex<String?>(nil)

  func set(_ failure: String?) { state.withLock { $0 = failure } }
  var failure: String? { state.withLock { $0 } }
}
