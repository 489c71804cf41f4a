/// Overloads for spans.
extension SocketConnection {
  package func send(_ bytes: Span<UInt8>) throws(UnixSocketError) -> Sent {
    try bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(UnixSocketError) in try send(bytes) }
  }

  package func send(_ bytes: Span<UInt8>, descriptors: borrowing OwnedDescriptors) throws(UnixSocketError) -> Sent {
    try bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(UnixSocketError) in
      try send(bytes, descriptors: descriptors)
    }
  }
}
