import CLinux
import Glibc
import Testing

@testable import UnixSocket

extension UnixSocketTests {
  @Suite struct FileDescriptorTests {
    private func counter() throws -> FileDescriptor {
      try FileDescriptor(result: clinux_eventfd(), of: "Making a counter")
    }

    private func isOpen(_ number: Int32) -> Bool { fcntl(number, F_GETFD) >= 0 }

    @Test func `it closes at its end, unless released`() throws {
      let closed: Int32
      do {
        let descriptor = try counter()
        closed = descriptor.number
      }
      #expect(!isOpen(closed))
      let released = try counter().release()
      #expect(isOpen(released))
      close(released)
    }

    @Test func `a duplicate outlives its original and is close-on-exec`() throws {
      let original = try counter()
      let copy = try original.duplicate()
      original.close()
      #expect(isOpen(copy.number))
      #expect(fcntl(copy.number, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test func `a bag keeps order, gives each out once, and closes the rest`() throws {
      var bag = OwnedDescriptors()
      for _ in 0..<4 { bag.append(try counter()) }
      let numbers = bag.numbers
      let first = bag.takeFirst()
      let next = bag.takeFirst(2)
      #expect(next.numbers == Array(numbers[1...2]))
      let left = bag.numbers
      #expect(left == [numbers[3]])
      _ = bag.takeAll()
      #expect(!isOpen(numbers[3]))
      #expect(isOpen(numbers[0]))
      #expect(next.numbers.count == 2)
      if let first { first.close() }
      #expect(!isOpen(numbers[0]))
    }

    @Test func `running out of descriptors has its own error`() {
      #expect(UnixSocketError.system("Opening", EMFILE).code == .descriptorsExhausted)
      #expect(UnixSocketError.system("Opening", EACCES).code == .system)
    }
  }
}
