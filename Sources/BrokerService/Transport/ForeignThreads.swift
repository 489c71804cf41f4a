import Delivery
import Monitor
import Synchronization

/// Threads for work that other users can block for ever, such as reading their files. Each user has
/// a limited number, so a blocked one delays only its own user.
final class ForeignThreads: Sendable {
  private let running: Mutex<Quota<UInt32>>

  init(limit: Int = 256, limitPerUser: Int = 32) {
    running = Mutex(Quota(limit: limit, limitPerUser: limitPerUser))
  }

  /// Runs work on a thread of its own. False: it does not run, because the user or the process has
  /// no thread left.
  func run(for user: UInt32, _ body: @escaping @Sendable () -> Void) -> Bool {
    guard running.withLock({ $0.take(for: user) }) else { return false }
    let isStarted = DetachedThread.start { [self] in
      body()
      giveBack(user)
    }
    if !isStarted { giveBack(user) }
    return isStarted
  }

  private func giveBack(_ user: UInt32) { running.withLock { $0.giveBack(of: user) } }
}

/// Threads that work on the descriptors that apps and owners send.
struct DescriptorThreads {
  /// Counts the descriptors and closes them, which can block in a foreign file system.
  let closer: DescriptorCloser
  let readers: ForeignThreads
}
