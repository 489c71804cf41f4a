package import BrokerInterface
import CMicroHTTPD
import Glibc
import Synchronization
import Varlink

/// `photobroker-web`: listens on loopback and tells the broker where, for as long as somebody may want the page.
package final class PageServer: Sendable {
  /// All that there may be before more wait to be accepted. ``Connections`` ends some of them long before.
  private static let connections: UInt32 = 256
  private static let idleSeconds: UInt32 = 60
  /// How often it is looked whether pages are open and whose time is up.
  private static let glance = Duration.seconds(2)

  private let links: BrokerLinks
  let service: PageService
  let connections = Mutex(Connections())

  package init(socket: String, sessions: Sessions = Sessions()) {
    links = BrokerLinks(path: socket)
    service = PageService(links: links, sessions: sessions)
  }

  /// Serves until `idleLimit` after the last page was closed or locked; returns then.
  ///
  /// - Parameter address: The one to listen at. Nil takes one that nobody could foresee, another
  ///   one each time: whoever had an address and a port before may have left a service worker in
  ///   the owner's browser, which is then asked in the page's place and is handed the code with the
  ///   address (Service Workers, section 4: a worker answers for its origin, and there is nothing
  ///   that the page could do about it). 16 million addresses, each with its ports, are too many to
  ///   leave one at each.
  /// - Parameter port: 0 takes a free one.
  /// - Throws: `noPort`, `unavailable` where there is no broker to begin with.
  package func run(address: LoopbackAddress?, port: UInt16, idleLimit: Duration) throws(PageError) {
    let address = address ?? .unforeseen()
    var port = port
    // Lives as long as the process: libmicrohttpd's threads hold it.
    let context = Unmanaged.passRetained(self).toOpaque()
    guard
      cmhd_start(address.number, &port, Self.connections, Self.idleSeconds, Self.handle, Self.watcher, context) != nil
    else {
      throw PageError(.noPort, "No port of \(address) can be listened on; is --port taken?")
    }
    // A broker that restarts is told again.
    var isFirst = true
    while service.isUsed(within: idleLimit) {
      do throws(PageError) {
        let link = try links.open()
        let reply = try link.call(
          Admin.ServePage.name, Admin.ServePage.Parameters(address: address.description, port: Int64(port)), more: true)
        guard reply.error == nil else {
          throw PageError(.badReply, "The broker does not take a page; are the versions the same?")
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
  /// Any but those that begin with 127.0, where other programs of this machine are, and the one for broadcasts.
  fileprivate static func unforeseen() -> LoopbackAddress {
    var generator = SystemRandomNumberGenerator()
    while true {
      if let address = LoopbackAddress(UInt32.random(in: 0x7F01_0000...0x7FFF_FFFE, using: &generator)) {
        return address
      }
    }
  }
}
