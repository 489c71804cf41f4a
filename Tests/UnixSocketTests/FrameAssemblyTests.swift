import CLinux
import Glibc
import Testing
import Varlink

@testable import UnixSocket

extension UnixSocketTests {
  @Suite struct FrameAssemblyTests {
    /// Returns the number of descriptors of each message after these receives.
    private func counts(_ receives: [(bytes: [UInt8], descriptors: Int)]) throws -> [Int] {
      var assembly = FrameAssembly()
      var counts: [Int] = []
      for receive in receives {
        var descriptors = OwnedDescriptors()
        for _ in 0..<receive.descriptors {
          descriptors.append(try FileDescriptor(result: clinux_eventfd(), of: "Making a counter"))
        }
        try receive.bytes.span.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(UnixSocketError) in
          try assembly.append(bytes, descriptors: descriptors.takeAll())
        }
        while let frame = assembly.next() { counts.append(frame.descriptors.count) }
      }
      return counts
    }

    @Test func `descriptors belong to the message of their receive's last byte`() throws {
      #expect(try counts([([1, 0, 2, 0], 1), ([3, 0], 0)]) == [0, 1, 0])
      #expect(try counts([([1, 0, 2], 1), ([2], 0), ([2, 0, 3, 0], 0)]) == [0, 1, 0])
      #expect(try counts([([1], 1), ([1], 2), ([0], 0), ([2, 0], 3)]) == [3, 3])
      #expect(try counts([([1, 0], 1), ([2, 0], 2), ([3, 0], 0)]) == [1, 2, 0])
    }

    @Test func `descriptors beyond the limit are refused and closed`() throws {
      #expect(try counts([([1], FrameAssembly.descriptorLimit), ([0], 0)]) == [FrameAssembly.descriptorLimit])
      let before = openDescriptorCount()
      #expect(throws: UnixSocketError.descriptorsUnexpected()) {
        try counts([([1], FrameAssembly.descriptorLimit), ([1], 1)])
      }
      #expect(openDescriptorCount() == before)
    }
  }
}
