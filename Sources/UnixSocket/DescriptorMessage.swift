import CLinux

/// The two system calls that carry descriptors beside bytes.
enum DescriptorMessage {
  /// Bytes received, or a negated errno; received descriptors are added to `descriptors`. When the
  /// kernel had to drop some `isTruncated` is true, and the rest are the caller's all the same:
  /// closing them can take for ever.
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

  /// Bytes taken, or a negated errno; the descriptors go with the first byte.
  static func send(_ bytes: UnsafeRawBufferPointer, descriptors: borrowing OwnedDescriptors, to socket: Int32) -> Int {
    let numbers = descriptors.numbers
    return clinux_send(socket, bytes.baseAddress, bytes.count, numbers, numbers.count)
  }
}
