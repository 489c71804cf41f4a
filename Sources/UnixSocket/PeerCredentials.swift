import CLinux
import Glibc

/// What the kernel recorded of whoever connected: one look, which opens nothing. Enough to know
/// whose connection it is, not to serve it.
package struct PeerCredentials: Sendable {
  /// The user at the time of connect; one that is not mapped here stands for several, whom `PeerIdentity` refuses.
  package let uid: UInt32
  /// The group at that time.
  package let gid: UInt32
  /// The process's number; 0 when it lives in a process namespace that this one cannot see.
  package let pid: Int32

  /// - Throws: `peerUnidentified` where nobody is connected.
  package init(ofSocket socket: borrowing FileDescriptor) throws(UnixSocketError) {
    var credentials = (pid: pid_t(0), uid: uid_t.max, gid: gid_t.max)
    let result = clinux_peer_credentials(socket.number, &credentials.pid, &credentials.uid, &credentials.gid)
    guard result >= 0 else { throw .peerUnidentified("the socket has no peer credentials", -result) }
    guard credentials.uid != .max, credentials.gid != .max else {
      throw .peerUnidentified("the socket is not connected")
    }
    (pid, uid, gid) = credentials
  }
}
