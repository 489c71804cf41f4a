import CLinux
import Glibc
import Synchronization

/// A listening socket: nonblocking and close-on-exec. On kernel 6.16 and later it refuses
/// descriptors from the start.
package final class Listener: Sendable {
  private let descriptor: Mutex<FileDescriptor?>
  /// The socket file to remove at the end; nil for a socket from the service manager.
  private let bound: BoundPath?
  /// Whether the kernel refuses descriptors. Accepted sockets inherit that from the listener.
  private let refusesDescriptors: Bool

  /// The default number of pending connections.
  package static let defaultBacklog: Int32 = 511

  /// Binds to `path` and listens.
  ///
  /// A socket file without a server is replaced; any other file stays, as an error.
  /// - Parameter mode: the permissions of the socket file, which hold from its creation.
  /// - Throws: `addressInUse` if a process serves the socket; `pathTooLong`; `system`.
  package init(path: String, mode: UInt32, backlog: Int32 = defaultBacklog) throws(UnixSocketError) {
    guard !path.utf8.contains(0) else { throw .pathTooLong() }
    let socket = try FileDescriptor(result: clinux_socket(1), of: "Making a socket")
    // The file gets the socket's permissions minus the umask, so it is never wider than `mode`.
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

  /// Takes ownership of a listening socket, for instance from the service manager. Its file stays
  /// at the end.
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

  /// Stops listening and removes the socket file, for a process that cannot end yet.
  package func close() {
    _ = descriptor.withLock { $0.take() }
    bound?.remove()
  }

  /// Accepts the next pending connection; nil if there is none.
  ///
  /// - Throws: an error that `concernsOnePeer` if the peer has gone or cannot be identified: its
  ///   connection is closed, and the next can be accepted. `descriptorsExhausted`: the connection
  ///   stays pending; pause, or the loop spins. `system`.
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

  /// Removes a socket file without a server.
  private static func removeStaleSocket(_ path: String) throws(UnixSocketError) {
    var facts = stat()
    guard lstat(path, &facts) == 0 else {
      if errno == ENOENT { return }
      throw .system("Looking at a socket path", errno)
    }
    guard facts.st_mode & S_IFMT == S_IFSOCK else { throw .pathOccupied(path) }
    // The socket is nonblocking: a live server with a full queue answers EAGAIN.
    let probe = try FileDescriptor(result: clinux_socket(1), of: "Making a socket")
    let result = clinux_connect(probe.number, path)
    guard result == -ECONNREFUSED || result == -ENOENT else { throw .addressInUse() }
    guard unlink(path) == 0 || errno == ENOENT else { throw .system("Removing a stale socket", errno) }
  }
}
