import Glibc

@testable import UnixSocket

/// A server's connection and its client.
struct ConnectedPair {
  let folder = SocketFolder()
  let listener: Listener
  let client: BlockingConnection
  let server: SocketConnection

  init() throws {
    listener = try Listener(path: folder.file("socket"), mode: 0o600)
    client = try BlockingConnection(path: folder.file("socket"), timeout: .seconds(1))
    server = try listener.accept()!.identified()
  }

  /// Waits for the server's next message.
  func receive(descriptors: inout OwnedDescriptors) throws -> (outcome: SocketConnection.Received, bytes: [UInt8]) {
    var poll = pollfd(fd: server.number, events: Int16(POLLIN), revents: 0)
    if server.number >= 0 { Glibc.poll(&poll, 1, 1_000) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let outcome = try bytes.withUnsafeMutableBytes { try server.receive(into: $0, descriptors: &descriptors) }
    guard case .bytes(let count) = outcome else { return (outcome, []) }
    return (outcome, Array(bytes[..<count]))
  }
}
