import CLinux
import Delivery
import Glibc
import Limits
import Monitor
import Synchronization
import UnixSocket

/// Counts and closes descriptors that others sent. Closing runs on threads of its own, because it
/// can block for ever: `close` asks the file system (`flush` of FUSE), whose server may be the
/// sender's, and a socket may linger. Each user can block only a limited number of threads and
/// descriptors.
final class DescriptorCloser: Sendable {
  fileprivate struct State {
    var open: Quota<UInt32>
    /// Closing threads, by the user whose descriptors they close now.
    var threads: Quota<UInt32>
    var waiting: [UInt32: [Int32]] = [:]
  }

  private let state: Mutex<State>

  /// - Parameters:
  /// - limit: The most open descriptors of all users.
  /// - mostAtOnce: The most descriptors of one read, which come unasked.
  init(
    limit: Int, limitPerUser: Int = ServiceLimits.descriptorsPerUser, threadLimit: Int = 64, threadsPerUser: Int = 4,
    mostAtOnce: Int = Int(CLINUX_DESCRIPTORS_MAX)
  ) {
    self.mostAtOnce = mostAtOnce
    state = Mutex(
      State(
        open: Quota(limit: limit, limitPerUser: limitPerUser),
        threads: Quota(limit: threadLimit, limitPerUser: threadsPerUser)))
  }

  private let mostAtOnce: Int

  /// Counts descriptors that came from a user. ``close(_:of:)`` ends the count.
  func took(_ count: Int, from user: UInt32) {
    if count > 0 { state.withLock { $0.open.add(count, for: user) } }
  }

  /// Closes counted descriptors in the background. Callable on any thread.
  func close(_ descriptors: consuming OwnedDescriptors, of user: UInt32) {
    guard !descriptors.isEmpty else { return }
    var numbers: [Int32] = []
    while let descriptor = descriptors.takeFirst() { numbers.append(descriptor.release()) }
    let needsThread = state.withLock { state in
      state.waiting[user, default: []] += numbers
      return state.threads.take(for: user)
    }
    // Without room for a thread, the user's next thread closes them.
    guard needsThread, !DetachedThread.start({ [self] in work(for: user) }) else { return }
    state.withLock { $0.threads.giveBack(of: user) }
  }

  /// Closes the broker's end of a connection with unsent bytes.
  func close(socket: consuming FileDescriptor, of user: UInt32) {
    took(1, from: user)
    close(OwnedDescriptors(socket), of: user)
  }

  /// Whether there is room for `mostAtOnce` more descriptors of a user.
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
  /// The next descriptor for a closing thread, of its own user first. Nil: the thread ends.
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
