import CLinux

/// Two connected stream sockets: one end for this process, the other for a child.
package struct SocketPair: ~Copyable, Sendable {
  private let ours: FileDescriptor
  private let theirs: FileDescriptor

  /// Creates a blocking pair. Both ends are close-on-exec; only the child clears that for its own
  /// end.
  ///
  /// - Throws: `system`, or `descriptorsExhausted`.
  package init() throws(UnixSocketError) {
    var ends: (Int32, Int32) = (-1, -1)
    let result = withUnsafeMutableBytes(of: &ends) { bytes in
      clinux_socketpair(bytes.baseAddress?.assumingMemoryBound(to: Int32.self), 0)
    }
    guard result >= 0 else { throw .system("Making a socket pair", -result) }
    ours = FileDescriptor(owning: ends.0)
    theirs = FileDescriptor(owning: ends.1)
  }

  /// Passes ownership of both ends to `body`.
  package consuming func split<Result: ~Copyable, Failure: Error>(
    _ body: (consuming FileDescriptor, consuming FileDescriptor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(ours, theirs)
  }
}
