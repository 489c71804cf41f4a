import Monitor
import Synchronization
import UnixSocket

/// Where connections wait between the thread that accepts them and the loop that serves them.
/// However many come, the loop sees those that are let in, and the first thread alone has to do
/// with the others.
final class Entrance: Sendable {
  /// What the loop finds when it looks.
  struct Look {
    /// Connections that were closed unserved since it last looked, by user.
    let turnedAway: [UInt32: Int]
    /// When the next one may be let in; nil where none waits.
    let opening: MonotonicTime?
  }

  private struct State {
    var arrivals: Arrivals<AcceptedSocket>
    var turnedAway: [UInt32: Int] = [:]
    var isClosed = false
  }

  private let state: Mutex<State>
  private let closer: DescriptorCloser
  private let wake: @Sendable () -> Void

  /// - Parameter wake: makes the loop look.
  init(
    closer: DescriptorCloser, arrivals: sending Arrivals<AcceptedSocket> = Arrivals(),
    wake: @escaping @Sendable () -> Void
  ) {
    state = Mutex(State(arrivals: arrivals))
    self.closer = closer
    self.wake = wake
  }

  /// Takes what was accepted. From any thread.
  func add(_ socket: AcceptedSocket, through door: Reception.Door) {
    guard !socket.isLeft else { return close(socket) }
    let lane = Self.lane(socket, door)
    let (turnedAway, isFirst) = state.withLock { state in
      guard !state.isClosed else { return (Optional(socket), false) }
      let isFirst = state.arrivals.isEmpty(lane)
      let turnedAway = state.arrivals.add(socket, in: lane)
      if let turnedAway { state.turnedAway[turnedAway.credentials.uid, default: 0] += 1 }
      return (turnedAway, isFirst)
    }
    // Where others of the lane wait the loop looks by itself.
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

  /// Takes the one whose turn it is; nil where it is nobody's yet.
  func next(at now: MonotonicTime) -> (socket: AcceptedSocket, door: Reception.Door)? {
    state.withLock { $0.arrivals.next(at: now) }.map { ($0.arrival, $0.lane.decides ? .administration : .apps) }
  }

  /// Counts one that is let in.
  func countEntry(of socket: AcceptedSocket, through door: Reception.Door, at now: MonotonicTime) {
    state.withLock { $0.arrivals.countEntry(of: Self.lane(socket, door), at: now) }
  }

  private static func lane(_ socket: AcceptedSocket, _ door: Reception.Door) -> Arrivals<AcceptedSocket>.Lane {
    .init(user: socket.credentials.uid, decides: door == .administration)
  }

  /// Closes one unserved. From any thread.
  func close(_ socket: AcceptedSocket) {
    socket.close { [closer, uid = socket.credentials.uid] in closer.close(socket: $0, of: uid) }
  }

  /// Lets nobody in any more.
  func closeAll() {
    let left = state.withLock { state in
      state.isClosed = true
      return state.arrivals.takeAll()
    }
    for socket in left { close(socket) }
  }
}
