import Glibc

final class Flag: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }
  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func raise() { sem_post(semaphore) }
  func wait() { while sem_wait(semaphore) != 0 {} }
}
