import Glibc
import Monitor
import Supervisor
import UnixSocket

/// Calls that write into a pipe, for as long as somebody reads from it.
extension IsolatedPlugin {
  /// How long a plugin has to notice that its pipe was closed. One that waits for a server that
  /// stalls does not, and would keep its process from everybody else for hours.
  private static let noticeTime = Duration.seconds(2)
  private static let lookInterval = Duration.milliseconds(200)

  /// The answer to a call.
  ///
  /// - Parameter pipe: What the plugin writes into meanwhile; nil: nothing.
  /// - Throws: `CallAbandoned` where nobody reads from the pipe any more and the plugin does not
  ///   end the call; what `receive` throws.
  static func answer(on connection: BlockingConnection, writing pipe: Int32?) throws -> Frame? {
    guard let pipe else { return try connection.receive() }
    var end = MonotonicTime.never
    while true {
      do throws(UnixSocketError) { return try connection.receive(deadline: .after(lookInterval)) } catch {
        guard error.code == .timedOut else { throw error }
      }
      if end == .never, !isRead(pipe) { end = .after(noticeTime) }
      if end.hasPassed { throw CallAbandoned() }
    }
  }

  /// Whether a pipe's other end is open.
  static func isRead(_ pipe: Int32) -> Bool {
    var poll = pollfd(fd: pipe, events: 0, revents: 0)
    return Glibc.poll(&poll, 1, 0) <= 0 || Int32(poll.revents) & POLLERR == 0
  }
}
