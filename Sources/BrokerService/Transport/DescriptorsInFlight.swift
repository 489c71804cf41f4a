import Delivery
import Limits
import UnixSocket

/// Descriptors that were sent and that nobody has taken out of the socket. The kernel charges them
/// to the broker's user and refuses every sender once they are as many as files may be open: those
/// whom nobody reads must not use that up, nor what all others need.
///
/// Counts are what was sent since the kernel last said that a connection's reader had taken
/// everything.
struct DescriptorsInFlight {
  /// A closed connection whose reader still has descriptors to take, or holds its socket to keep them there.
  private struct Remainder {
    let socket: SocketConnection
    let count: Int
  }

  private var counts: FairAllowance
  private var remainders: [Remainder] = []

  /// - Parameter limit: Of all users, half of what the kernel allows.
  init(limit: Int = OpenFiles.limit / 2) {
    counts = FairAllowance(limit: limit, limitPerUser: ServiceLimits.descriptorsInFlightPerUser)
  }

  func mayAdd(_ count: Int, of uid: UInt32) -> Bool { counts.mayAdd(count, for: uid) }

  /// Whether so many more are what one user may have, if all others had none.
  func isWithinShare(_ count: Int, of uid: UInt32) -> Bool {
    counts.held[uid, default: 0] + count <= ServiceLimits.descriptorsInFlightPerUser
  }

  mutating func add(_ count: Int, of uid: UInt32) { counts.add(count, for: uid) }

  /// Keeps a socket that was closed for its client until nothing is left in it.
  mutating func keep(_ socket: SocketConnection, count: Int) {
    socket.shutdown()
    remainders.append(Remainder(socket: socket, count: count))
  }

  /// Lets go of sockets that were emptied. True: others are left.
  mutating func sweep() -> Bool {
    for index in remainders.indices.reversed() where remainders[index].socket.isAllTaken {
      let remainder = remainders.remove(at: index)
      add(-remainder.count, of: remainder.socket.peer.uid)
      remainder.socket.close()
    }
    return !remainders.isEmpty
  }

  mutating func closeAll() {
    for remainder in remainders { remainder.socket.close() }
    remainders = []
  }
}
