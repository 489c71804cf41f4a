import CLinux
import Glibc
import Monitor
import Testing

@testable import UnixSocket

extension UnixSocketTests {
  @Suite struct BlockingConnectionTests {
    private func ends(limitBytes: Int = BlockingConnection.defaultLimitBytes) throws -> (
      BlockingConnection, BlockingConnection
    ) {
      try SocketPair().split { ours, theirs in
        (try BlockingConnection(ours, limitBytes: limitBytes), try BlockingConnection(theirs, limitBytes: limitBytes))
      }
    }

    private func bytes(_ frame: consuming Frame?) -> [UInt8]? {
      guard let frame else { return nil }
      return frame.bytes
    }

    private func parts(_ frame: consuming Frame?) -> ([UInt8], Int) {
      guard let frame else { return ([], -1) }
      return (frame.bytes, frame.descriptors.count)
    }

    @Test func `messages arrive whole and in order, followed by the end`() throws {
      let (one, other) = try ends()
      for size in [0, 1, 1_000] { try one.send([UInt8](repeating: 65, count: size).span) }
      for size in [0, 1, 1_000] { #expect(bytes(try other.receive()) == [UInt8](repeating: 65, count: size)) }
      one.shutdown()
      #expect(bytes(try other.receive()) == nil)
    }

    @Test func `a message larger than every buffer arrives`() throws {
      let (one, other) = try ends()
      let reader = Reader(other)
      try reader.start()
      let message = (0..<3_000_000).map { UInt8($0 % 255 + 1) }
      try one.send(message.span, deadline: .after(.seconds(5)))
      #expect(reader.wait() == message)
    }

    @Test func `descriptors stay with their message`() throws {
      let (one, other) = try ends()
      let counter = OwnedDescriptors(try FileDescriptor(result: clinux_eventfd(), of: "Making a counter"))
      try one.send([1].span)
      try one.send([2].span, descriptors: counter)
      try one.send([3].span)
      for expected in 1...3 {
        let (text, descriptorCount) = try parts(other.receive())
        #expect(text == [UInt8(expected)])
        #expect(descriptorCount == (expected == 2 ? 1 : 0))
      }
    }

    @Test func `a deadline ends the wait and loses nothing`() throws {
      let (one, other) = try ends()
      #expect(throws: UnixSocketError.timedOut()) { _ = bytes(try other.receive(deadline: .after(.milliseconds(10)))) }
      try one.send([9].span)
      #expect(bytes(try other.receive(deadline: .after(.seconds(1)))) == [9])
    }

    @Test func `a message interrupted by a deadline closes the connection`() throws {
      let (one, other) = try ends()
      let large = [UInt8](repeating: 1, count: 8 << 20)
      #expect(throws: UnixSocketError.timedOut()) { try one.send(large.span, deadline: .after(.milliseconds(20))) }
      #expect(throws: UnixSocketError.closed()) { try one.send([1].span) }
      #expect(throws: UnixSocketError.closed()) { _ = bytes(try other.receive(deadline: .after(.seconds(1)))) }
    }

    @Test func `a message over the limit is refused, and one at it is not`() throws {
      let (one, other) = try ends(limitBytes: 100)
      try one.send([UInt8](repeating: 1, count: 100).span)
      #expect(bytes(try other.receive())?.count == 100)
      try one.send([UInt8](repeating: 1, count: 101).span)
      #expect(throws: UnixSocketError.messageTooLarge(limitBytes: 100)) { _ = bytes(try other.receive()) }
    }

    @Test func `an unserved socket is reported`() throws {
      let folder = SocketFolder()
      #expect(throws: UnixSocketError.notServed(ENOENT)) {
        try BlockingConnection(path: folder.file("socket"), timeout: .seconds(1))
      }
    }

    @Test func `a server with a full queue delays a client by its timeout at most`() throws {
      let folder = SocketFolder()
      let listener = try Listener(path: folder.file("socket"), mode: 0o600, backlog: 0)
      let first = try BlockingConnection(path: folder.file("socket"), timeout: .seconds(1))
      #expect(throws: UnixSocketError.timedOut()) {
        try BlockingConnection(path: folder.file("socket"), timeout: .milliseconds(50))
      }
      withExtendedLifetime((listener, first)) {}
    }
  }
}
