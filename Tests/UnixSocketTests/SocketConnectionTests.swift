import CLinux
import Glibc
import Synchronization
import Testing

@testable import UnixSocket

extension UnixSocketTests {
  @Suite struct SocketConnectionTests {
    private func someDescriptor() throws -> OwnedDescriptors {
      OwnedDescriptors(try FileDescriptor(result: clinux_eventfd(), of: "Making a counter"))
    }

    /// Allows descriptors in the kernel only, as an older kernel always does.
    private func allowInKernelOnly(_ server: SocketConnection) { _ = clinux_set_pass_rights(server.number, 1) }

    @Test func `the kernel refuses descriptors until they are allowed`() throws {
      let pair = try ConnectedPair()
      let sent = try someDescriptor()
      #expect(throws: UnixSocketError.descriptorsRefused(EPERM)) { try pair.client.send([1].span, descriptors: sent) }
      // The connection stays usable.
      try pair.client.send([2].span)
      var none = OwnedDescriptors()
      #expect(try pair.receive(descriptors: &none).bytes == [2, 0])
    }

    @Test func `allowed descriptors arrive in order with their message, close-on-exec`() throws {
      let pair = try ConnectedPair()
      pair.server.setPassRights(true)
      var sent = try someDescriptor()
      sent.append(contentsOf: try someDescriptor())
      #expect(clinux_eventfd_signal(sent.numbers[1]) == 0)
      try pair.client.send([7, 8].span, descriptors: sent)
      var received = OwnedDescriptors()
      #expect(try pair.receive(descriptors: &received).bytes == [7, 8, 0])
      try #require(received.numbers.count == 2)
      let flags = received.numbers.map { fcntl($0, F_GETFD) & FD_CLOEXEC }
      #expect(flags == [FD_CLOEXEC, FD_CLOEXEC])
      let states = received.numbers.map { number in
        var poll = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0)
      }
      #expect(states == [0, 1])
    }

    @Test func `no descriptor stays open after 100,000 messages that carried one`() async {
      await #expect(processExitsWith: .exitCode(42)) { exit(try DescriptorAccounts.afterManyMessages() ? 42 : 1) }
    }

    @Test func `forbidden descriptors are closed by the kernel or by the connection`() throws {
      let pair = try ConnectedPair()
      let sent = try someDescriptor()
      allowInKernelOnly(pair.server)
      let before = openDescriptorCount()
      try pair.client.send([1].span, descriptors: sent)
      var received = OwnedDescriptors()
      _ = try pair.receive(descriptors: &received)
      #expect(received.numbers == [])
      #expect(openDescriptorCount() == before)
    }

    @Test func `unwanted descriptors stay in the socket, and bytes before them are read`() throws {
      let pair = try ConnectedPair()
      let sent = try someDescriptor()
      allowInKernelOnly(pair.server)
      let before = openDescriptorCount()
      var bytes = [UInt8](repeating: 0, count: 16)
      #expect(clinux_receive_bytes_alone(pair.server.number, &bytes, bytes.count) == -Int(EAGAIN))
      try pair.client.send([3].span)
      #expect(clinux_receive_bytes_alone(pair.server.number, &bytes, bytes.count) == 2)
      #expect(bytes[0] == 3)
      try pair.client.send([1].span, descriptors: sent)
      #expect(clinux_receive_bytes_alone(pair.server.number, &bytes, bytes.count) == -Int(EPERM))
      #expect(clinux_unread_bytes(pair.server.number) == 2)
      #expect(openDescriptorCount() == before)
    }

    @Test
    func `a socket with possible unread descriptors is closed by the named closer, any other at once`()
      throws
    {
      let closed = Mutex<[Int32]>([])
      for (allowed, isUnread) in [(true, true), (true, false), (false, true)] {
        let pair = try ConnectedPair()
        let number = pair.server.number
        pair.server.closesElsewhere = { (descriptor: consuming FileDescriptor) in
          closed.withLock { $0.append(descriptor.number) }
        }
        if allowed { pair.server.setPassRights(true) }
        if isUnread { try pair.client.send([1].span) }
        pair.server.close()
        #expect(pair.server.number == -1)
        #expect(closed.withLock { $0 } == (allowed && isUnread ? [number] : []))
        closed.withLock { $0 = [] }
      }
    }

    @Test func `when descriptors run out, the received ones are closed and the message is refused`() async {
      await #expect(processExitsWith: .exitCode(42)) { exit(try DescriptorAccounts.afterExhaustion() ? 42 : 1) }
    }

    @Test func `a reader that pauses stops the writer early, and nothing is lost`() throws {
      let pair = try ConnectedPair()
      try pair.server.setSendBuffer(bytes: 4_096)
      let message = (0..<200_000).map { UInt8($0 % 255 + 1) } + [0]
      var sent = 0
      while case .taken(let count) = try pair.server.send(message.span.extracting(sent...)) { sent += count }
      #expect(sent > 0)
      #expect(sent < 64 << 10)
      let reader = Reader(pair.client)
      try reader.start()
      while sent < message.count {
        switch try pair.server.send(message.span.extracting(sent...)) {
        case .taken(let count): sent += count
        case .wouldBlock: usleep(100)
        case .closed:
          Issue.record("closed")
          return
        }
      }
      #expect(reader.wait() == Array(message.dropLast()))
    }

    @Test func `the other side's end is returned, not thrown`() throws {
      let pair = try ConnectedPair()
      pair.client.shutdown()
      var received = OwnedDescriptors()
      #expect(try pair.receive(descriptors: &received).outcome == .closed)
      #expect(try pair.server.send([1].span) == .closed)
      pair.server.close()
      #expect(pair.server.number == -1)
      #expect(try pair.receive(descriptors: &received).outcome == .closed)
    }
  }
}
