import Monitor

/// The one thread that starts every child.
///
/// The kernel ties "end with your parent" to the thread that forked, not to its process: a child
/// that a worker starts would die when that worker's thread ends. This thread lives as long as the
/// process.
final class SpawnThread: Sendable {
  static let shared = SpawnThread()

  private let jobs = Monitor<[@Sendable () -> Void]>([])
  private let isRunning: Bool

  private init() {
    let jobs = jobs
    isRunning = DetachedThread.start {
      while true {
        let next = jobs.wait(until: .never) { $0.isEmpty ? nil : $0.removeFirst() }
        next?()
      }
    }
  }

  /// Runs it there, some time.
  func perform(_ body: @escaping @Sendable () -> Void) { jobs.change { $0.append(body) } }

  /// Runs it there and waits for its answer.
  ///
  /// - Throws: `startFailed` where the machine had no room for the thread.
  func run<R: Sendable>(_ body: @escaping @Sendable () -> R) throws(SupervisorError) -> R {
    guard isRunning else { throw .startFailed("starting a thread", cause: 0) }
    let answer = Monitor<R?>(nil)
    jobs.change { jobs in
      jobs.append {
        let result = body()
        answer.change { $0 = result }
      }
    }
    guard let result = answer.wait(until: .never, for: { $0 }) else {
      throw .startFailed("starting a thread", cause: 0)
    }
    return result
  }
}
