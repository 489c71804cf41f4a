import CLinux
import Delivery
import Glibc
import Limits
import Monitor
import Synchronization
import UnixSocket

/// What others sent, from when it came until it is closed. That is done on threads of its own:
/// closing asks the file system (`flush` of FUSE), whose server may be the sender's and never
/// answer, which nothing interrupts; and a socket may linger as long as its sender said. Each user
/// can keep so many threads and descriptors by that and no more.
final class DescriptorCloser: Sendable {
  fileprivate struct State {
    /// From when they came until they are closed.
    var open: FairAllowance
    /// Threads that close, by the user whose turn it is.
    var threads: FairAllowance
    /// What is to be closed.
    var waiting: [UInt32: [Int32]] = [:]
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - limit: How many may be open of all users.
  ///   - mostAtOnce: How many can come at once, before anybody is asked.
  init(
    limit: Int, limitPerUser: Int = ServiceLimits.descriptorsPerUser, threadLimit: Int = 64, threadsPerUser: Int = 4,
    mostAtOnce: Int = Int(CLINUX_DESCRIPTORS_MAX)
  ) {
    self.mostAtOnce = mostAtOnce
    state = Mutex(
      State(
        open: FairAllowance(limit: limit, limitPerUser: limitPerUser),
        threads: FairAllowance(limit: threadLimit, limitPerUser: threadsPerUser)))
  }

  private let mostAtOnce: Int

  /// Counts what came from a user. Closed by ``close(_:of:)``.
  func took(_ count: Int, from user: UInt32) {
    if count > 0 { state.withLock { $0.open.add(count, for: user) } }
  }

  /// Closes, soon and without waiting for it, what was counted before. From any thread.
  func close(_ descriptors: consuming OwnedDescriptors, of user: UInt32) {
    guard !descriptors.isEmpty else { return }
    var numbers: [Int32] = []
    while let descriptor = descriptors.takeFirst() { numbers.append(descriptor.release()) }
    let needsThread = state.withLock { state in
      state.waiting[user, default: []] += numbers
      return state.threads.take(for: user)
    }
    // Where there is no room for a thread it waits for the next one.
    guard needsThread, !DetachedThread.start({ [self] in work(for: user) }) else { return }
    state.withLock { $0.threads.giveBack(of: user) }
  }

  /// The same of the broker's end of a connection in which something may be left.
  func close(socket: consuming FileDescriptor, of user: UInt32) {
    took(1, from: user)
    close(OwnedDescriptors(socket), of: user)
  }

  /// Whether more may be taken from a user: as many as can come at once have room.
  func mayTake(from user: UInt32) -> Bool { state.withLock { $0.open.mayAdd(mostAtOnce, for: user) } }

  private func work(for user: UInt32) {
    var user = user
    while let number = state.withLock({ $0.next(&user) }) {
      _ = Glibc.close(number)
      state.withLock { [user] in $0.open.giveBack(of: user) }
    }
  }
}

extension DescriptorCloser.State {
  /// What a thread closes next: of its user, else of another one. Nil: the thread ends.
  fileprivate mutating func next(_ user: inout UInt32) -> Int32? {
    if let number = take(of: user) { return number }
    threads.giveBack(of: user)
    guard let other = waiting.keys.first(where: { threads.mayAdd(for: $0) }) else { return nil }
    user = other
    threads.add(for: other)
    return take(of: other)
  }

  private mutating func take(of user: UInt32) -> Int32? {
    guard var numbers = waiting.removeValue(forKey: user), let number = numbers.popLast() else { return nil }
    if !numbers.isEmpty { waiting[user] = numbers }
    return number
  }
}
