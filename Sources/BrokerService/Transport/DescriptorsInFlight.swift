import Delivery
import Limits
import UnixSocket

/// Descriptors that were sent and not taken out of the socket by their reader. The kernel charges
/// them to the broker's user, and refuses all senders once they exceed the limit of open files. So
/// they have a quota for each user and one for all.
///
/// A connection's count falls only when the kernel says that its reader took everything.
struct DescriptorsInFlight {
  private struct Remainder {
    let socket: SocketConnection
    let count: Int
  }

  private var counts: Quota<UInt32>
  private var remainders: [Remainder] = []

  /// - Parameter limit: For all users together; half of the kernel's limit.
  init(limit: Int = OpenFiles.limit / 2) {
    counts = Quota(limit: limit, limitPerUser: ServiceLimits.descriptorsInFlightPerUser)
  }

  func mayAdd(_ count: Int, of uid: UInt32) -> Bool { counts.mayAdd(count, for: uid) }

  /// Whether so many more are within one user's quota, apart from other users'.
  func isWithinShare(_ count: Int, of uid: UInt32) -> Bool {
    counts.held[uid, default: 0] + count <= ServiceLimits.descriptorsInFlightPerUser
  }

  mutating func add(_ count: Int, of uid: UInt32) { counts.add(count, for: uid) }

  /// Keeps the socket of a closed connection until its reader has emptied it.
  mutating func keep(_ socket: SocketConnection, count: Int) {
    socket.shutdown()
    remainders.append(Remainder(socket: socket, count: count))
  }

  /// Closes emptied sockets. True: others are left.
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
