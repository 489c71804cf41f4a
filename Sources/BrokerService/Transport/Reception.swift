import EventLoop
import Monitor
import UnixSocket

/// Accepts connections on one socket, on a thread beside the one that serves them: the kernel's
/// queue is one for all users, so nobody's may stay in it, and whoever fills it takes no time of
/// those who are served.
actor Reception {
  enum Door { case apps, administration }

  nonisolated private let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let listener: Listener
  private let door: Door
  private let entrance: Entrance
  private let log: Log
  private var source: SourceID?
  /// When it was last said that none can be accepted.
  private var complained: MonotonicTime?
  /// How many are accepted before the loop looks whether it is to stop.
  private static let acceptedPerTurn = 64

  init(_ listener: Listener, door: Door, entrance: Entrance, log: Log, on loop: EventLoop) {
    self.listener = listener
    self.door = door
    self.entrance = entrance
    self.log = log
    self.loop = loop
  }

  /// Accepts until its loop stops, which holds it.
  nonisolated func open() {
    loop.perform { self.assumeIsolated { $0.listen() } }
  }

  private func listen() {
    do throws(EventLoopError) {
      source = try loop.register(listener.number, for: .read) { [self] _ in assumeIsolated { $0.accept() } }
    } catch {
      log.error("a socket is not served", ["reason": "\(error)"])
    }
  }

  private func accept() {
    do throws(UnixSocketError) {
      for _ in 0..<Self.acceptedPerTurn {
        guard let socket = try listener.accept() else { return }
        entrance.add(socket, through: door)
      }
    } catch {
      guard !error.concernsOnePeer else { return }
      complain(error)
      pause()
    }
  }

  /// Once a minute: it may be tried ten times a second for as long as somebody likes.
  private func complain(_ error: UnixSocketError) {
    let now = MonotonicTime.now
    guard complained.map({ $0.advanced(by: RepeatedNotices.interval) < now }) ?? true else { return }
    complained = now
    log.error("accepting connections pauses for a moment", ["reason": "\(error)"])
  }

  /// A listener that cannot accept would be ready for ever.
  private func pause() {
    guard let source else { return }
    try? loop.update(source, for: [])
    loop.schedule(after: .milliseconds(100)) { [self] in
      assumeIsolated { reception in
        try? reception.loop.update(source, for: .read)
      }
    }
  }
}
