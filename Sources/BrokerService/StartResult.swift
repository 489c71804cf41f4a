import Synchronization

/// Carries the result of the start from the loop's thread to the thread that waits for it.
final class StartResult: Sendable {
  private let state = Mutex<(any Error)?>(nil)

  func set(_ failure: (any Error)?) { state.withLock { $0 = failure } }
  var failure: (any Error)? { state.withLock { $0 } }
}
