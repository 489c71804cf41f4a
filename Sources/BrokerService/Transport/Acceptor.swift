import EventLoop
import Monitor
import UnixSocket

/// Accepts connections of one socket on a thread of its own. The kernel's queue is shared by all
/// users, so it is emptied at once, and a flood costs no time of the loop.
actor Acceptor {
  enum Endpoint { case apps, administration }

  nonisolated private let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let listener: Listener
  private let endpoint: Endpoint
  private let entrance: Entrance
  private let log: Log
  private var source: SourceID?
  private var complained: MonotonicTime?
  /// The most connections accepted before the loop checks whether it is to stop.
  private static let acceptedPerTurn = 64

  init(_ listener: Listener, endpoint: Endpoint, entrance: Entrance, log: Log, on loop: EventLoop) {
    self.listener = listener
    self.endpoint = endpoint
    self.entrance = entrance
    self.log = log
    self.loop = loop
  }

  /// Accepts until its loop stops. The loop keeps this object.
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
        entrance.add(socket, through: endpoint)
      }
    } catch {
      guard !error.concernsOnePeer else { return }
      complain(error)
      pause()
    }
  }

  /// Logs at most once a minute, because a client can provoke ten failures a second.
  private func complain(_ error: UnixSocketError) {
    let now = MonotonicTime.now
    guard complained.map({ $0.advanced(by: RepeatedNotices.interval) < now }) ?? true else { return }
    complained = now
    log.error("accepting connections pauses for a moment", ["reason": "\(error)"])
  }

  /// A listener that cannot accept would stay ready, and the loop would spin.
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
