import Glibc

/// A bounded queue of work for worker threads.
final class WorkQueue: @unchecked Sendable {
  // Unchecked: the pthread mutex guards all mutable state, and its memory does not move.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
  private let condition: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)
  private let limit: Int
  private var items: [@Sendable () -> Void] = []
  /// The index of the next item, so that taking one moves nothing.
  private var head = 0
  private var isStopped = false

  init(limit: Int) {
    self.limit = limit
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  var count: Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return items.count - head
  }

  /// - Throws: `queueFull`, `notRunning`.
  func add(_ item: @escaping @Sendable () -> Void) throws(EventLoopError) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard !isStopped else { throw .notRunning("The worker") }
    guard items.count - head < limit else { throw .queueFull(limit: limit) }
    items.append(item)
    pthread_cond_signal(condition)
  }

  /// Runs items until `stop`.
  func work() {
    while let item = next() { item() }
  }

  /// Ends the threads. Queued items are released outside the lock, since their deinit may call this
  /// queue.
  func stop() {
    pthread_mutex_lock(mutex)
    isStopped = true
    let dropped = items
    items = []
    head = 0
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
    _ = consume dropped
  }

  private func next() -> (@Sendable () -> Void)? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while head == items.count, !isStopped { pthread_cond_wait(condition, mutex) }
    guard !isStopped else { return nil }
    let item = items[head]
    items[head] = {}
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= limit {
      items.removeFirst(head)
      head = 0
    }
    return item
  }
}
