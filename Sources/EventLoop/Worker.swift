import Glibc

/// Named threads that do what may block, in order of submission; with one thread, the default,
/// strictly one after another.
///
/// One worker per library: a dead disk stops that library's worker, and nothing else. The queue is
/// bounded.
package final class Worker: Sendable {
  private let queue: WorkQueue
  /// The threads' name.
  package let name: String

  /// How many pieces of work may wait by default.
  package static let defaultQueueLimit = 1_024

  /// Starts the threads.
  ///
  /// - Parameter turns: who goes before them where processors are scarce.
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
  /// - Throws: `queueFull`, `notRunning` after `stop`.
  package func run(_ work: @escaping @Sendable () -> Void) throws(EventLoopError) { try queue.add(work) }

  /// Runs `work` on a worker thread, then `completion` with its result on `loop`. On the loop only.
  ///
  /// - Parameter completion: a closure made inside an actor of this loop is that actor's code. It
  ///   is called and released on the loop. It is not called when the worker is stopped, or the loop
  ///   ends, before.
  /// - Throws: `queueFull`, `notRunning` after `stop`.
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

  /// Takes no more work, drops what waits, and lets the threads end after what they do now. From any thread.
  package func stop() { queue.stop() }

  /// How many pieces of work wait.
  package var waitingCount: Int { queue.count }
}
