import Dispatch
import Synchronization

/// A connection with the one thread that waits on it, for callers that must not wait: work is done
/// in order, one at a time.
///
/// The connection is made by the first work, ends with this object, and never comes back: a broken
/// line is replaced.
final class Line: Sendable {
  private let opener: @Sendable () throws -> Wire
  private let queue = DispatchQueue(label: "io.photobroker.line")
  private let state = Mutex(State())

  private struct State {
    var wire: Wire?
    var isClosed = false
  }

  /// A line that `opener` connects and makes known, on the line's own thread.
  init(_ opener: @escaping @Sendable () throws -> Wire) { self.opener = opener }

  deinit { hangUp() }

  /// Does blocking work on the line's thread.
  ///
  /// - Throws: what the work throws; `connectionLost` on a line that was closed.
  func perform<Result: Sendable>(_ work: @escaping @Sendable (Wire) throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        continuation.resume(with: Swift.Result { try work(try wire()) })
      }
    }
  }

  /// The same, ended by hanging up when the task is cancelled: for work that waits for a person or for what happens.
  ///
  /// - Throws: as ``perform(_:)``; `CancellationError` when cancelled.
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

  /// Ends the connection; work that waits, and work that comes, fails.
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
