import CLinux
import Glibc

/// The kernel's record of a peer, from one system call that opens nothing. It is enough to know the
/// user, not to serve the connection.
package struct PeerCredentials: Sendable {
  /// The user at the time of connect. One without a mapping here stands for several users;
  /// `PeerIdentity` refuses it.
  package let uid: UInt32
  /// The group at that time.
  package let gid: UInt32
  /// The process's number; 0 for a process in a process namespace that this one cannot see.
  package let pid: Int32

  /// - Throws: `peerUnidentified` if the socket is not connected.
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
