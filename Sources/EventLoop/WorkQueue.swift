import Glibc

/// A bounded queue that worker threads wait at.
final class WorkQueue: @unchecked Sendable {
  // Unchecked: everything mutable is guarded by the pthread mutex, in memory that does not move.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
  private let condition: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)
  private let limit: Int
  private var items: [@Sendable () -> Void] = []
  /// Where the next item is in `items`: taking one moves nothing.
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

  /// Runs items until stopped.
  func work() {
    while let item = next() { item() }
  }

  /// Lets the threads end. What waited is dropped outside of the lock: what it holds may call this queue when it goes.
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
