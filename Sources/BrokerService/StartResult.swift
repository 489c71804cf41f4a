import Synchronization

/// Carries the result of the start from the loop's thread to the thread that waits for it.
final class StartResult: Sendable {
  private let state = Mutex<String?>(nil)

  func set(_ failure: String?) { state.withLock { $0 = failure } }
  var failure: String? { state.withLock { $0 } }
}
