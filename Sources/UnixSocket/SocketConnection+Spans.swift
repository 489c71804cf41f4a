/// Overloads for spans.
extension SocketConnection {
  package func receive(into buffer: inout MutableSpan<UInt8>) throws(UnixSocketError) -> Received {
    try buffer.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(UnixSocketError) in
      try receive(into: bytes)
    }
  }

  package func receive(
    into buffer: inout MutableSpan<UInt8>,
    descriptors: inout OwnedDescriptors
  ) throws(UnixSocketError) -> Received {
    try buffer.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(UnixSocketError) in
      try receive(into: bytes, descriptors: &descriptors)
    }
  }

  package func send(_ bytes: Span<UInt8>) throws(UnixSocketError) -> Sent {
    try bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(UnixSocketError) in try send(bytes) }
  }

  package func send(_ bytes: Span<UInt8>, descriptors: borrowing OwnedDescriptors) throws(UnixSocketError) -> Sent {
    try bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(UnixSocketError) in
      try send(bytes, descriptors: descriptors)
    }
  }
}
