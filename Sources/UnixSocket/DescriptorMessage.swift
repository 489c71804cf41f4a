import CLinux

/// The system calls that send and receive descriptors with bytes.
enum DescriptorMessage {
  /// Answers the number of received bytes, or a negated errno. It appends received descriptors.
  ///
  /// `isTruncated`: the kernel dropped some descriptors. The caller still owns the others; closing
  /// them may block for ever.
  static func receive(
    from socket: Int32, into buffer: UnsafeMutableRawBufferPointer,
    descriptors: inout OwnedDescriptors
  ) -> (count: Int, isTruncated: Bool) {
    var received = clinux_received()
    let count = withUnsafeTemporaryAllocation(of: Int32.self, capacity: Int(CLINUX_DESCRIPTORS_MAX)) { numbers in
      let count = clinux_receive(socket, buffer.baseAddress, buffer.count, numbers.baseAddress, &received)
      for number in numbers[..<received.descriptor_count] { descriptors.append(FileDescriptor(owning: number)) }
      return count
    }
    return (count, received.truncated != 0)
  }

  /// Answers the number of sent bytes, or a negated errno. The descriptors go with the first byte.
  static func send(_ bytes: UnsafeRawBufferPointer, descriptors: borrowing OwnedDescriptors, to socket: Int32) -> Int {
    let numbers = descriptors.numbers
    return clinux_send(socket, bytes.baseAddress, bytes.count, numbers, numbers.count)
  }
}
