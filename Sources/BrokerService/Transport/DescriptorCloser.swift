import Glibc
import Monitor
import Synchronization
import UnixSocket

/// Closes what others sent, on threads of its own. Closing asks the file system (`flush` of FUSE), whose server may be the sender's and
/// never answer, which nothing interrupts; and a socket may linger as long as its sender said. Of each user so many threads can be kept
/// by that and no more.
final class DescriptorCloser: Sendable {
  fileprivate struct State {
    /// Threads that close, by the user whose turn it is.
    var threads: [UInt32: Int] = [:]
    var threadCount = 0
    /// What is to be closed.
    var waiting: [UInt32: [Int32]] = [:]
    var waitingCount = 0
  }

  private let state = Mutex(State())
  private let threadLimit: Int
  private let threadsPerUser: Int
  private let waitingLimit: Int
  private let waitingPerUser: Int

  init(threadLimit: Int = 64, threadsPerUser: Int = 4, waitingLimit: Int = 1_024, waitingPerUser: Int = 128) {
    self.threadLimit = threadLimit
    self.threadsPerUser = threadsPerUser
    self.waitingLimit = waitingLimit
    self.waitingPerUser = waitingPerUser
  }

  /// Closes them soon, without waiting for that. From any thread.
  func close(_ descriptors: consuming OwnedDescriptors, of user: UInt32) {
    guard !descriptors.isEmpty else { return }
    var numbers: [Int32] = []
    while let descriptor = descriptors.takeFirst() { numbers.append(descriptor.release()) }
    let needsThread = state.withLock { state in
      state.waiting[user, default: []] += numbers
      state.waitingCount += numbers.count
      guard state.threadCount < threadLimit, state.threads[user, default: 0] < threadsPerUser else { return false }
      state.threadCount += 1
      state.threads[user, default: 0] += 1
      return true
    }
    // Where there is no room for a thread it waits for the next one.
    guard needsThread, !DetachedThread.start({ [self] in work(for: user) }) else { return }
    state.withLock { $0.end(of: user) }
  }

  /// Whether more may be taken from a user: what they sent before can be closed.
  func mayTake(from user: UInt32) -> Bool {
    state.withLock { $0.waitingCount < waitingLimit && ($0.waiting[user]?.count ?? 0) < waitingPerUser }
  }

  private func work(for user: UInt32) {
    var user = user
    while let number = state.withLock({ $0.next(&user, threadsPerUser) }) { _ = Glibc.close(number) }
  }
}

extension DescriptorCloser.State {
  /// What a thread closes next: of its user, else of another one. Nil: the thread ends.
  fileprivate mutating func next(_ user: inout UInt32, _ threadsPerUser: Int) -> Int32? {
    if let number = take(of: user) { return number }
    end(of: user)
    guard let other = waiting.keys.first(where: { threads[$0, default: 0] < threadsPerUser }) else { return nil }
    user = other
    threadCount += 1
    threads[other, default: 0] += 1
    return take(of: other)
  }

  private mutating func take(of user: UInt32) -> Int32? {
    guard var numbers = waiting.removeValue(forKey: user), let number = numbers.popLast() else { return nil }
    if !numbers.isEmpty { waiting[user] = numbers }
    waitingCount -= 1
    return number
  }

  fileprivate mutating func end(of user: UInt32) {
    threadCount -= 1
    threads[user] = threads[user].flatMap { $0 > 1 ? $0 - 1 : nil }
  }
}
