import Glibc

/// State with a lock, whose changes threads can await: a mutex and a condition in one.
///
/// `Synchronization` has a `Mutex` without a condition. For worker threads only; the event loop
/// never waits.
package final class Monitor<State>: @unchecked Sendable {
  // Unchecked: `state` is accessed only under the pthread mutex, whose memory does not move.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
  private let condition: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)
  private var state: State

  package init(_ state: sending State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Reads or changes the state without waking threads.
  package func withLock<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Changes the state and wakes all waiting threads.
  package func change<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&state)
  }

  /// Changes the state and wakes one waiting thread, after unlocking: the woken thread would wait for
  /// the lock at once.
  package func changeForOne<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
    defer { pthread_cond_signal(condition) }
    return try withLock(body)
  }

  /// Waits until `ready` returns a value, and returns it.
  ///
  /// - Parameters:
  ///   - deadline: The end of the wait, or `never`.
  ///   - ready: Called at the start, after each change, and at the deadline.
  /// - Returns: Nil after the deadline.
  @discardableResult
  package func wait<R>(until deadline: MonotonicTime, for ready: (inout State) -> R?) -> R? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = ready(&state) { return result }
      guard deadline != .never else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      var moment = deadline.timespec
      if pthread_cond_timedwait(condition, mutex, &moment) == ETIMEDOUT { return ready(&state) }
    }
  }
}
