import Delivery
import Monitor
import Synchronization

/// Threads for what others can make take for ever, such as reading a file of theirs: of each user
/// so many and no more, so that those who do so keep only themselves waiting.
final class ForeignThreads: Sendable {
  private let running: Mutex<FairAllowance>

  init(limit: Int = 256, limitPerUser: Int = 32) {
    running = Mutex(FairAllowance(limit: limit, limitPerUser: limitPerUser))
  }

  /// Runs something on a thread of its own. False: it is not run, since the user has all of theirs,
  /// or there is no room for another one.
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
