import CLinux
import Glibc
import Synchronization
import UnixSocket

/// A connection to the person's session bus: calls from any thread, messages for the one that reads.
final class SessionBus: Sendable {
  private let socket: FileDescriptor
  private let writing = Mutex<UInt32>(0)

  /// How long the bus may take for its part of the greeting.
  private static let greetingSeconds = 10

  /// - Throws: `noBus`, `refused`, `lost`.
  init(path: String) throws(DesktopError) {
    let number = clinux_socket(0)
    guard number >= 0 else { throw DesktopError(.lost, "No descriptor is left for the session bus.") }
    socket = FileDescriptor(owning: number)
    guard clinux_connect(number, path) == 0 else {
      throw DesktopError(.noBus, "The session bus does not answer at \(path); is this the person's own session?")
    }
    try greet()
    call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello")
  }

  /// Says who we are; the bus knows it from the socket.
  private func greet() throws(DesktopError) {
    var limit = timeval(tv_sec: Self.greetingSeconds, tv_usec: 0)
    setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let digits = Array("0123456789abcdef")
    let user = String("\(geteuid())".utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    guard send([0] + Array("AUTH EXTERNAL \(user)\r\n".utf8)) else { throw Self.lost }
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n"), line.count < 512 { line += try read(1) }
    guard line.starts(with: "OK ".utf8), send(Array("BEGIN\r\n".utf8)) else {
      throw DesktopError(.refused, "The session bus does not let this user in; is it somebody else's?")
    }
    limit.tv_sec = 0
    setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Calls a method.
  ///
  /// - Returns: the serial that its reply will name; nil where the bus is gone, as whoever reads finds too.
  @discardableResult
  func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String, signature: String = "",
    _ body: BusWriter = BusWriter()
  ) -> UInt32? {
    writing.withLock { serial in
      serial += 1
      var message = BusMessage(.call, serial: serial)
      (message.destination, message.path, message.interface, message.member) = (destination, path, interface, member)
      (message.signature, message.body) = (signature, body.bytes)
      return send(message.encoded) ? serial : nil
    }
  }

  /// The next message; waits for it.
  ///
  /// - Throws: `lost`, `badMessage`: the connection is of no further use.
  func next() throws(DesktopError) -> BusMessage {
    let head = try read(BusMessage.headBytes)
    let length = try BusMessage.length(head)
    return try BusMessage(head + read(length - head.count))
  }

  private func read(_ count: Int) throws(DesktopError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let number = socket.number
      let got = bytes.withUnsafeMutableBytes { recv(number, $0.baseAddress.map { $0 + done }, count - done, 0) }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw Self.lost }
      done += got
    }
    return bytes
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    var done = 0
    while done < bytes.count {
      let number = socket.number
      let sent = bytes.withUnsafeBytes {
        Glibc.send(number, $0.baseAddress.map { $0 + done }, bytes.count - done, Int32(MSG_NOSIGNAL))
      }
      if sent < 0, errno == EINTR { continue }
      guard sent > 0 else { return false }
      done += sent
    }
    return true
  }

  private static var lost: DesktopError {
    DesktopError(.lost, "The session bus is gone; the desktop session has ended.")
  }
}
