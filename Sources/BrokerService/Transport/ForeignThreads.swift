import Monitor
import Synchronization

/// Threads for what others can make take for ever, such as reading a file of theirs: of each user so many and no more, so that those who
/// do so keep only themselves waiting.
final class ForeignThreads: Sendable {
  private struct State {
    var ofUser: [UInt32: Int] = [:]
    var all = 0
  }

  private let state = Mutex(State())
  private let limit: Int
  private let limitPerUser: Int

  init(limit: Int = 256, limitPerUser: Int = 32) {
    self.limit = limit
    self.limitPerUser = limitPerUser
  }

  /// Runs something on a thread of its own. False: it is not run, since the user has all of theirs, or there is no room for another one.
  func run(for user: UInt32, _ body: @escaping @Sendable () -> Void) -> Bool {
    let isFree = state.withLock { state in
      guard state.all < limit, state.ofUser[user, default: 0] < limitPerUser else { return false }
      state.all += 1
      state.ofUser[user, default: 0] += 1
      return true
    }
    guard isFree else { return false }
    let isStarted = DetachedThread.start { [self] in
      body()
      giveBack(user)
    }
    if !isStarted { giveBack(user) }
    return isStarted
  }

  private func giveBack(_ user: UInt32) {
    state.withLock { state in
      state.all -= 1
      state.ofUser[user] = state.ofUser[user].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
  }
}
