package import BrokerInterface
import CMicroHTTPD
import Glibc
import Synchronization
import Varlink

/// `photobroker-web`: serves the page on loopback and registers its address with the broker, until
/// idle.
package final class PageServer: Sendable {
  /// Connections accepted at once, more than ``Connections`` keeps; further ones wait in the
  /// kernel's backlog.
  private static let connections: UInt32 = 256
  private static let idleSeconds: UInt32 = 60
  /// Time between two checks for idleness and overdue connections.
  private static let glance = Duration.seconds(2)

  private let links: BrokerLinks
  let service: PageService
  let connections = Mutex(Connections())

  package init(socket: String, sessions: Sessions = Sessions()) {
    links = BrokerLinks(path: socket)
    service = PageService(links: links, sessions: sessions)
  }

  /// Serves until `idleLimit` after the last page was closed or locked.
  ///
  /// - Parameters:
  ///   - address: The address to listen at; nil for a random one. A process that held a known
  ///     address and port before may have left a service worker in the owner's browser. That worker
  ///     would answer instead of this server and receive the one-time code (Service Workers,
  ///     section 4), and the page cannot prevent it. There are 16 million addresses, too many to
  ///     prepare each.
  ///   - port: The port; 0 for a free one.
  /// - Throws: `noPort`; `unavailable` if there is no broker at the start.
  package func run(address: LoopbackAddress?, port: UInt16, idleLimit: Duration) throws(PageError) {
    let address = address ?? .unforeseen()
    var port = port
    // Never released: libmicrohttpd's threads use it as long as the process lives.
    let context = Unmanaged.passRetained(self).toOpaque()
    guard
      cmhd_start(address.number, &port, Self.connections, Self.idleSeconds, Self.handle, Self.watcher, context) != nil
    else {
      throw PageError(.noPort, "No port of \(address) can be opened. Check whether --port is in use.")
    }
    // A restarted broker needs the address again.
    var isFirst = true
    while service.isUsed(within: idleLimit) {
      do throws(PageError) {
        let link = try links.open()
        let reply = try link.call(
          Admin.ServePage.name, Admin.ServePage.Parameters(address: address.description, port: Int64(port)), more: true)
        guard reply.error == nil else {
          throw PageError(
            .badReply,
            "The broker does not accept the page. Check that photobroker-web and photobrokerd have the same version.")
        }
        isFirst = false
        while service.isUsed(within: idleLimit) {
          endOverdue()
          guard try !link.hasEnded(within: min(Self.glance, idleLimit / 4)) else { break }
        }
        link.end()
      } catch {
        if isFirst { throw error }
        endOverdue()
        pause(.milliseconds(300))
      }
    }
  }

  private static let handle: CMHDHandler = { context, request in
    guard let context, let request else { return 0 }
    let server = PageServer.held(by: context)
    server.connections.withLock { $0.answer(request.pointee.number) }
    let response = server.service.answer(Request(request.pointee))
    var headers: [UnsafePointer<CChar>?] = []
    var copies: [UnsafeMutablePointer<CChar>?] = []
    for (name, value) in [("Content-Type", response.type)] + response.extra + Response.headers {
      copies += [strdup(name), strdup(value)]
    }
    defer { for copy in copies { free(copy) } }
    headers = copies.map { UnsafePointer($0) } + [nil]
    return response.body.withUnsafeBufferPointer {
      cmhd_answer(request.pointee.connection, response.status, $0.baseAddress, $0.count, headers)
    }
  }
}

extension LoopbackAddress {
  /// A random loopback address. Excludes 127.0.0.0/16, which other programs use, and the broadcast
  /// address.
  fileprivate static func unforeseen() -> LoopbackAddress {
    var generator = SystemRandomNumberGenerator()
    while true {
      if let address = LoopbackAddress(UInt32.random(in: 0x7F01_0000...0x7FFF_FFFE, using: &generator)) {
        return address
      }
    }
  }
}
