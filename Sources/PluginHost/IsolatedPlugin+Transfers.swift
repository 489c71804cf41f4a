import Glibc
import Monitor
import Supervisor
import UnixSocket

/// Calls that write into a pipe while the broker reads from it.
extension IsolatedPlugin {
  /// Time for a plugin to notice that its pipe was closed. A plugin that waits for a stalled server
  /// does not notice, and would block its process for hours.
  private static let noticeTime = Duration.seconds(2)
  private static let lookInterval = Duration.milliseconds(200)

  /// Waits for the answer to a call.
  ///
  /// - Parameter pipe: the pipe into which the plugin writes; nil for other calls.
  /// - Throws: `CallAbandoned` if the pipe's reader is gone and the plugin does not end the call;
  ///   the errors of `receive`.
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

  static func isRead(_ pipe: Int32) -> Bool {
    var poll = pollfd(fd: pipe, events: 0, revents: 0)
    return Glibc.poll(&poll, 1, 0) <= 0 || Int32(poll.revents) & POLLERR == 0
  }
}
