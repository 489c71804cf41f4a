import Monitor
import Synchronization
import UnixSocket

/// Connections between the accepting threads and the loop. In a flood of connections the loop sees
/// only those that it may serve; the accepting threads close the rest.
final class Entrance: Sendable {
  struct Look {
    /// Connections that were closed unserved since the last look, by user.
    let turnedAway: [UInt32: Int]
    /// The earliest time at which a connection can be taken; nil if none is pending.
    let opening: MonotonicTime?
  }

  private struct State {
    var arrivals: PendingConnections<AcceptedSocket>
    var turnedAway: [UInt32: Int] = [:]
    var isClosed = false
  }

  private let state: Mutex<State>
  private let closer: DescriptorCloser
  private let wake: @Sendable () -> Void

  /// - Parameter wake: Makes the loop look.
  init(
    closer: DescriptorCloser, arrivals: sending PendingConnections<AcceptedSocket> = PendingConnections(),
    wake: @escaping @Sendable () -> Void
  ) {
    state = Mutex(State(arrivals: arrivals))
    self.closer = closer
    self.wake = wake
  }

  /// Queues an accepted connection. Callable on any thread.
  func add(_ socket: AcceptedSocket, through endpoint: Acceptor.Endpoint) {
    guard !socket.isLeft else { return close(socket) }
    let lane = Self.lane(socket, endpoint)
    let (turnedAway, isFirst) = state.withLock { state in
      guard !state.isClosed else { return (Optional(socket), false) }
      let isFirst = state.arrivals.isEmpty(lane)
      let turnedAway = state.arrivals.add(socket, in: lane)
      if let turnedAway { state.turnedAway[turnedAway.credentials.uid, default: 0] += 1 }
      return (turnedAway, isFirst)
    }
    // If others of the key are pending, the loop looks anyway.
    if isFirst { wake() }
    if let turnedAway { close(turnedAway) }
  }

  func look() -> Look {
    state.withLock { state in
      let turnedAway = state.turnedAway
      if !turnedAway.isEmpty { state.turnedAway = [:] }
      return Look(turnedAway: turnedAway, opening: state.arrivals.opening)
    }
  }

  /// The next connection; nil if none may be taken yet.
  func next(at now: MonotonicTime) -> (socket: AcceptedSocket, endpoint: Acceptor.Endpoint)? {
    state.withLock { $0.arrivals.next(at: now) }.map { ($0.arrival, $0.lane.decides ? .administration : .apps) }
  }

  func countEntry(of socket: AcceptedSocket, through endpoint: Acceptor.Endpoint, at now: MonotonicTime) {
    state.withLock { $0.arrivals.countEntry(of: Self.lane(socket, endpoint), at: now) }
  }

  private static func lane(_ socket: AcceptedSocket, _ endpoint: Acceptor.Endpoint)
    -> PendingConnections<AcceptedSocket>.Lane
  {
    .init(user: socket.credentials.uid, decides: endpoint == .administration)
  }

  /// Closes a connection unserved. Callable on any thread.
  func close(_ socket: AcceptedSocket) {
    socket.close { [closer, uid = socket.credentials.uid] in closer.close(socket: $0, of: uid) }
  }

  func closeAll() {
    let left = state.withLock { state in
      state.isClosed = true
      return state.arrivals.takeAll()
    }
    for socket in left { close(socket) }
  }
}
