import CLinux

/// Two connected stream sockets: one end stays here, the other goes to a child process.
package struct SocketPair: ~Copyable, Sendable {
  private let ours: FileDescriptor
  private let theirs: FileDescriptor

  /// Makes a blocking pair, both ends close-on-exec; the child's end loses that in the child only.
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

  /// Hands both ends to `body`, which owns them from then on.
  package consuming func split<Result: ~Copyable, Failure: Error>(
    _ body: (consuming FileDescriptor, consuming FileDescriptor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(ours, theirs)
  }
}
