import Dispatch
import Synchronization

/// A connection with a thread of its own, for callers that must not block. Work runs in order, one
/// item at a time.
///
/// The first work opens the connection. A line that lost its connection is not reconnected; its
/// owner makes a new one.
final class Line: Sendable {
  private let opener: @Sendable () throws -> Wire
  private let queue = DispatchQueue(label: "io.photobroker.line")
  private let state = Mutex(State())

  private struct State {
    var wire: Wire?
    var isClosed = false
  }

  init(_ opener: @escaping @Sendable () throws -> Wire) { self.opener = opener }

  deinit { hangUp() }

  /// Runs blocking work on the line's thread.
  ///
  /// - Throws: the errors of the work; `connectionLost` on a closed line.
  func perform<Result: Sendable>(_ work: @escaping @Sendable (Wire) throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        continuation.resume(with: Swift.Result { try work(try wire()) })
      }
    }
  }

  /// Runs work as ``perform(_:)`` does, and closes the connection when the task is cancelled: for
  /// work that waits for a person or for events.
  ///
  /// - Throws: the errors of ``perform(_:)``; `CancellationError`.
  func performUntilCancelled<Result: Sendable>(
    _ work: @escaping @Sendable (Wire) throws -> Result
  ) async throws -> Result {
    try await withTaskCancellationHandler {
      do {
        return try await perform(work)
      } catch {
        try Task.checkCancellation()
        throw error
      }
    } onCancel: {
      hangUp()
    }
  }

  func hangUp() {
    state.withLock { state in
      state.isClosed = true
      state.wire?.hangUp()
    }
  }

  private func wire() throws -> Wire {
    if let wire = state.withLock({ $0.isClosed ? nil : $0.wire }) { return wire }
    guard !state.withLock({ $0.isClosed }) else {
      throw PhotoLibraryError(.connectionLost, "The connection was closed.")
    }
    let opened = try opener()
    state.withLock { state in
      state.wire = opened
      if state.isClosed { opened.hangUp() }
    }
    return opened
  }
}
