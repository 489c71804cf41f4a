import CLinux
import Glibc
import Testing

@testable import UnixSocket

extension UnixSocketTests {
  @Suite struct PeerIdentityTests {
    /// A Python program that connects to the socket and then runs `rest`.
    private func connector(_ path: String, then rest: String) throws -> ChildProcess {
      try ChildProcess([
        "python3", "-c",
        """
        import os, socket, time, sys
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
        \(rest)
        """, path,
      ])
    }

    private func accept(_ listener: Listener) throws -> SocketConnection {
      var poll = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
      Glibc.poll(&poll, 1, 5_000)
      return try #require(try listener.accept()).identified()
    }

    private func waitForExit(_ peer: PeerIdentity) -> Bool {
      var poll = pollfd(fd: peer.process.number, events: Int16(POLLIN), revents: 0)
      return Glibc.poll(&poll, 1, 5_000) == 1
    }

    @Test func `the peer is this process and this user`() throws {
      let pair = try ConnectedPair()
      let peer = pair.server.peer
      #expect(peer.uid == getuid())
      #expect(peer.gid == getgid())
      #expect(peer.pid == getpid())
      #expect(!peer.process.hasExited)
      #expect(peer.process.isBoundToSocket)
      #expect(peer.executable?.isEmpty == false)
      #expect(!peer.isInterpreter)
    }

    @Test
    func `an odd process name becomes a bare name without anything like a path`()
      throws
    {
      let folder = SocketFolder()
      let listener = try Listener(path: folder.file("s"), mode: 0o600)
      let child = try connector(
        folder.file("s"), then: "open('/proc/self/comm', 'w').write('/bin/\\u202ex y'); time.sleep(30)")
      defer { child.end() }
      let peer = try accept(listener).peer
      var name: String?
      for _ in 0..<500 {
        name = peer.claimedName()
        if name?.hasPrefix("?bin") == true { break }
        usleep(10_000)
      }
      #expect(name == "?bin??x?y")
      kill(child.pid, SIGKILL)
      #expect(waitForExit(peer))
      #expect(peer.claimedName() == nil)
    }

    @Test func `R138 a script is recognized as run by an interpreter`() throws {
      let folder = SocketFolder()
      let listener = try Listener(path: folder.file("socket"), mode: 0o600)
      let child = try connector(folder.file("socket"), then: "time.sleep(30)")
      defer { child.end() }
      let peer = try accept(listener).peer
      #expect(peer.pid == child.pid)
      #expect(peer.isInterpreter)
    }

    @Test func `the process's end is noticed although another process holds the socket`() throws {
      let folder = SocketFolder()
      let listener = try Listener(path: folder.file("socket"), mode: 0o600)
      // The connector passes its socket to its own child, which stays, and ends on command.
      let child = try connector(
        folder.file("socket"),
        then: """
          if os.fork() == 0:
            time.sleep(2); os._exit(0)
          s.recv(1); os._exit(0)
          """)
      let connection = try accept(listener)
      #expect(!connection.peer.process.hasExited)
      #expect(try connection.send([1].span) == .taken(1))
      #expect(waitForExit(connection.peer))
      #expect(connection.peer.process.hasExited)
      // The stream is still open: only the process descriptor tells.
      var bytes: [UInt8] = [0]
      let outcome = try bytes.withUnsafeMutableBytes { try connection.receive(into: $0) }
      #expect(outcome == .wouldBlock)
      waitpid(child.pid, nil, 0)
      #expect(connection.peer.process.hasExited)
    }

    @Test func `a peer that ended before it was accepted is refused, zombie or reaped`() throws {
      let folder = SocketFolder()
      let listener = try Listener(path: folder.file("socket"), mode: 0o600)
      let child = try connector(folder.file("socket"), then: "os._exit(0)")
      var info = siginfo_t()
      #expect(waitid(P_PID, id_t(child.pid), &info, WEXITED | WNOWAIT) == 0)
      #expect(throws: UnixSocketError.peerGone()) { try listener.accept()?.identified() }
      waitpid(child.pid, nil, 0)
      let second = try connector(folder.file("socket"), then: "os._exit(0)")
      waitpid(second.pid, nil, 0)
      #expect(throws: UnixSocketError.peerGone()) { try listener.accept()?.identified() }
      #expect(UnixSocketError.peerGone().concernsOnePeer)
    }

    @Test func `a process that ends during inspection is refused`() throws {
      let child = try ChildProcess(["sleep", "30"])
      let descriptor = try FileDescriptor(result: clinux_pidfd_open(child.pid), of: "Opening a process")
      child.end()
      // The number may be reused by now; the descriptor is not.
      let process = PeerProcess(descriptor, isBoundToSocket: true)
      #expect(throws: UnixSocketError.peerGone()) { try PeerIdentity(uid: 0, gid: 0, pid: child.pid, process: process) }
    }

    @Test func `without the kernel's own binding nothing is vouched for`() throws {
      let descriptor = try FileDescriptor(result: clinux_pidfd_open(getpid()), of: "Opening a process")
      let process = PeerProcess(descriptor, isBoundToSocket: false)
      #expect(try PeerIdentity(uid: getuid(), gid: getgid(), pid: getpid(), process: process).vouched == nil)
    }

    @Test func `an unconnected socket has no peer`() throws {
      let socket = try FileDescriptor(result: clinux_socket(1), of: "Making a socket")
      #expect(throws: UnixSocketError.peerUnidentified("")) {
        do { _ = try PeerIdentity(ofSocket: socket) } catch { throw error }
      }
    }
  }
}
