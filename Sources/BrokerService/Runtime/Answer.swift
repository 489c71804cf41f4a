import Glibc
import Synchronization

/// One yes or no that a worker waits for.
final class Answer: Sendable {
  private let value = Mutex<Bool?>(nil)
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func give(_ answer: Bool) {
    value.withLock { $0 = $0 ?? answer }
    sem_post(semaphore)
  }

  func wait() -> Bool {
    while sem_wait(semaphore) != 0, errno == EINTR {}
    return value.withLock { $0 ?? false }
  }
}
