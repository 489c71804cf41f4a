import Glibc

/// Named threads for blocking work, with a bounded queue. Work starts in order of submission; with
/// one thread, the default, it is strictly serial.
///
/// Each library has its own worker, so that a dead disk blocks only that library.
package final class Worker: Sendable {
  private let queue: WorkQueue
  package let name: String

  /// The default limit of queued work.
  package static let defaultQueueLimit = 1_024

  /// Starts the threads.
  ///
  /// - Parameter turns: their scheduling if processors are scarce.
  /// - Throws: `system`.
  package init(
    name: String, threads: Int = 1, turns: LoopThread.Turns = .long, queueLimit: Int = defaultQueueLimit
  ) throws(EventLoopError) {
    self.name = name
    let queue = WorkQueue(limit: queueLimit)
    self.queue = queue
    do throws(EventLoopError) {
      for _ in 0..<max(threads, 1) {
        try LoopThread.start(name: name, turns: turns) { queue.work() }
      }
    } catch {
      queue.stop()
      throw error
    }
  }

  deinit { queue.stop() }

  /// Runs `work` on a worker thread. From any thread.
  ///
  /// - Throws: `queueFull`; `notRunning` after `stop`.
  package func run(_ work: @escaping @Sendable () -> Void) throws(EventLoopError) { try queue.add(work) }

  /// Runs `work` on a worker thread, then `completion` with its result on `loop`. On the loop only.
  ///
  /// - Parameter completion: is called and released on the loop. A closure from inside an actor of
  ///   this loop is that actor's code. It is not called if the worker or the loop stops before.
  /// - Throws: `queueFull`; `notRunning` after `stop`.
  package func run<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result, on loop: EventLoop,
    completion: @escaping (Result) -> Void
  ) throws(EventLoopError) {
    loop.checkIsolated()
    let parcel = LoopParcel(completion)
    try queue.add {
      let result = work()
      loop.perform { parcel.take()?(result) }
    }
  }

  /// Accepts no more work, drops queued work, and ends the threads after their current work. From
  /// any thread.
  package func stop() { queue.stop() }

  /// The amount of queued work.
  package var waitingCount: Int { queue.count }
}
