import Monitor

/// The one thread that starts every child.
///
/// The kernel ties the parent death signal to the thread that forked, not to its process. A child
/// started by a worker thread would die with that thread; this one lives as long as the process.
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

  /// Runs a function on the thread, asynchronously.
  func perform(_ body: @escaping @Sendable () -> Void) { jobs.change { $0.append(body) } }

  /// Runs a function on the thread and waits for its result.
  ///
  /// - Throws: `startFailed` if the thread could not be created.
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
