import CLinux
import Glibc
import Synchronization

/// A listening socket: nonblocking, close-on-exec, and refusing descriptors from birth where the kernel can (6.16).
package final class Listener: Sendable {
  private let descriptor: Mutex<FileDescriptor?>
  /// What was bound, to be removed at the end; nil for a socket that the service manager made.
  private let bound: BoundPath?
  /// Whether the kernel keeps descriptors from being sent to what is accepted, which has that of the listener.
  private let refusesDescriptors: Bool

  /// How many connections may wait to be accepted.
  package static let defaultBacklog: Int32 = 511

  /// Binds to `path` and listens.
  ///
  /// A socket file that nobody serves any more is replaced; anything else at that path is left alone.
  /// - Parameter mode: the permissions of the socket file: who may connect. They hold from the moment that it exists.
  /// - Throws: `addressInUse` when a process answers there, `pathTooLong`, `system`.
  package init(path: String, mode: UInt32, backlog: Int32 = defaultBacklog) throws(UnixSocketError) {
    guard !path.utf8.contains(0) else { throw .pathTooLong() }
    let socket = try FileDescriptor(result: clinux_socket(1), of: "Making a socket")
    // The file takes its permissions from the socket, less the umask: never wider than asked, not even for a moment.
    _ = fchmod(socket.number, mode)
    var result = clinux_bind(socket.number, path)
    if result == -EADDRINUSE {
      try Self.removeStaleSocket(path)
      result = clinux_bind(socket.number, path)
    }
    guard result >= 0 else {
      if result == -ENAMETOOLONG || path.isEmpty { throw .pathTooLong() }
      throw result == -EADDRINUSE ? .addressInUse() : .system("Binding a socket at \(path)", -result)
    }
    let file = BoundPath(path)
    guard chmod(path, mode) == 0 else { throw .system("Setting a socket's permissions", errno) }
    refusesDescriptors = clinux_set_pass_rights(socket.number, 0) >= 0
    guard listen(socket.number, backlog) == 0 else { throw .system("Listening", errno) }
    descriptor = Mutex(socket)
    bound = file
  }

  /// Takes over a socket that already listens, such as one that the service manager made; its file
  /// is not removed at the end.
  ///
  /// - Throws: `unsuitableSocket`, `system`.
  package init(adopting socket: consuming FileDescriptor) throws(UnixSocketError) {
    guard clinux_is_listening_unix_socket(socket.number) == 1 else {
      throw .unsuitableSocket(
        "An inherited descriptor is no listening Unix stream socket; use ListenStream= with a path in the socket unit.")
    }
    try socket.setNonblocking(true)
    try socket.setCloseOnExec(true)
    refusesDescriptors = clinux_set_pass_rights(socket.number, 0) >= 0
    descriptor = Mutex(socket)
    bound = nil
  }

  deinit { bound?.remove() }

  /// The descriptor's number, for an event loop; -1 once closed.
  package var number: Int32 {
    descriptor.withLock { descriptor in
      switch descriptor {
      case .some(let descriptor): descriptor.number
      case .none: -1
      }
    }
  }

  /// Listens no more, and removes what was bound: also where the process cannot end yet.
  package func close() {
    _ = descriptor.withLock { $0.take() }
    bound?.remove()
  }

  /// The next waiting connection; nil when none waits.
  ///
  /// - Throws: an error that `concernsOnePeer` when the peer has gone or cannot be identified (its
  ///   connection is closed: go on); `descriptorsExhausted` (the connection still waits: pause, or
  ///   the loop spins); `system`.
  package func accept() throws(UnixSocketError) -> AcceptedSocket? {
    let result = clinux_accept(number)
    if result < 0 {
      switch -result {
      case EAGAIN: return nil
      case EINTR, ECONNABORTED: throw .peerGone(-result)
      default: throw .system("Accepting a connection", -result)
      }
    }
    return try AcceptedSocket(FileDescriptor(owning: result), kernelRefusesDescriptors: refusesDescriptors)
  }

  /// Removes a socket file whose server is gone.
  private static func removeStaleSocket(_ path: String) throws(UnixSocketError) {
    var facts = stat()
    guard lstat(path, &facts) == 0 else {
      if errno == ENOENT { return }
      throw .system("Looking at a socket path", errno)
    }
    guard facts.st_mode & S_IFMT == S_IFSOCK else { throw .pathOccupied(path) }
    // Nonblocking: a live server whose queue is full answers EAGAIN, which counts as alive.
    let probe = try FileDescriptor(result: clinux_socket(1), of: "Making a socket")
    let result = clinux_connect(probe.number, path)
    guard result == -ECONNREFUSED || result == -ENOENT else { throw .addressInUse() }
    guard unlink(path) == 0 || errno == ENOENT else { throw .system("Removing a stale socket", errno) }
  }
}
