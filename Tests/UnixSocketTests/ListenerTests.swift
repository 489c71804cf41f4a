import CLinux
import Glibc
import Testing

@testable import UnixSocket

extension UnixSocketTests {
  @Suite struct ListenerTests {
    @Test(arguments: [0o600, 0o660, 0o666] as [UInt32])
    func `the socket file has the requested permissions, whatever the umask`(mode: UInt32) throws {
      let folder = SocketFolder()
      let listener = try Listener(path: folder.file("socket"), mode: mode)
      var facts = stat()
      #expect(lstat(folder.file("socket"), &facts) == 0)
      #expect(facts.st_mode & 0o777 == mode)
      withExtendedLifetime(listener) {}
    }

    @Test func `an unserved socket is replaced, and a served one is not`() throws {
      let folder = SocketFolder()
      let abandoned = try FileDescriptor(result: clinux_socket(0), of: "Making a socket")
      #expect(clinux_bind(abandoned.number, folder.file("socket")) == 0)
      abandoned.close()
      let listener = try Listener(path: folder.file("socket"), mode: 0o600)
      #expect(throws: UnixSocketError.addressInUse()) { try Listener(path: folder.file("socket"), mode: 0o600) }
      // The first listener still accepts.
      _ = try BlockingConnection(path: folder.file("socket"), timeout: .seconds(1))
      while try listener.accept() != nil {}
    }

    @Test func `a file that is not a socket is left alone`() throws {
      let folder = SocketFolder()
      let file = try FileDescriptor(
        result: clinux_open(folder.file("socket"), O_CREAT | O_WRONLY, 0o600), of: "Making a file")
      #expect(throws: UnixSocketError.pathOccupied(folder.file("socket"))) {
        try Listener(path: folder.file("socket"), mode: 0o600)
      }
      #expect(access(folder.file("socket"), F_OK) == 0)
      file.close()
    }

    @Test func `the socket file goes with its listener, and a successor's stays`() throws {
      let folder = SocketFolder()
      do { _ = try Listener(path: folder.file("socket"), mode: 0o600) }
      #expect(access(folder.file("socket"), F_OK) != 0)
      var first: Listener? = try Listener(path: folder.file("socket"), mode: 0o600)
      #expect(unlink(folder.file("socket")) == 0)
      let second = try Listener(path: folder.file("socket"), mode: 0o600)
      first = nil
      _ = first
      #expect(access(folder.file("socket"), F_OK) == 0)
      withExtendedLifetime(second) {}
    }

    @Test(arguments: ["", String(repeating: "x", count: 108), "a\0b"])
    func `a path too long for an address is refused`(path: String) {
      #expect(throws: UnixSocketError.pathTooLong()) { try Listener(path: path, mode: 0o600) }
      #expect(throws: UnixSocketError.pathTooLong()) { try BlockingConnection(path: path, timeout: .seconds(1)) }
    }

    @Test func `an empty queue gives nil`() throws {
      let folder = SocketFolder()
      let listener = try Listener(path: folder.file("socket"), mode: 0o600)
      #expect(try listener.accept() == nil)
    }

    @Test func `the service manager's listening sockets are adopted by name`() throws {
      let folder = SocketFolder()
      let base: Int32 = 200
      for (index, name) in ["app", "admin"].enumerated() {
        let socket = try FileDescriptor(result: clinux_socket(0), of: "Making a socket")
        #expect(clinux_bind(socket.number, folder.file(name)) == 0)
        #expect(listen(socket.number, 5) == 0)
        #expect(dup2(socket.number, base + Int32(index)) >= 0)
      }
      var sockets = try InheritedSockets(pid: "\(getpid())", count: "2", names: "app:admin", first: base)
      let admin = try #require(try sockets.takeListener(named: "admin"))
      #expect(admin.number == base + 1)
      #expect(fcntl(admin.number, F_GETFD) & FD_CLOEXEC != 0)
      #expect(fcntl(admin.number, F_GETFL) & O_NONBLOCK != 0)
      #expect(try sockets.takeListener(named: "admin") == nil)
      _ = try BlockingConnection(path: folder.file("admin"), timeout: .seconds(1))
      #expect(try admin.accept() != nil)
      let left = sockets.count
      #expect(left == 1)
    }

    @Test(arguments: [("1", "65"), ("1", "x"), ("1", "-1")])
    func `a garbled announcement is refused`(pair: (String, String)) {
      #expect(throws: UnixSocketError.unsuitableSocket("")) {
        _ = try InheritedSockets(pid: "\(getpid())", count: pair.1, names: nil, first: 900).count
      }
    }

    @Test func `another process's announcement is ignored`() throws {
      let sockets = try InheritedSockets(pid: "1", count: "2", names: nil, first: 0)
      let count = sockets.count
      #expect(count == 0)
    }
  }
}
