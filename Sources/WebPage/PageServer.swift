import BrokerInterface
import CMicroHTTPD
import Glibc
import Varlink

/// `photobroker-web`: listens on loopback and tells the broker where, for as long as somebody may want the page.
package final class PageServer {
  /// Browsers open six connections a page; more wait their turn.
  private static let connections: UInt32 = 64
  private static let idleSeconds: UInt32 = 60
  /// How often it is looked whether pages are open.
  private static let glance = Duration.seconds(2)
  /// 10,000 identifiers and what is around them.
  private static let bodyLimitBytes = 1 << 20

  private let links: BrokerLinks
  private let service: PageService

  package init(socket: String, sessions: Sessions = Sessions()) {
    links = BrokerLinks(path: socket)
    service = PageService(links: links, sessions: sessions)
  }

  /// Serves until `idleLimit` after the last page was closed or locked; returns then.
  ///
  /// - Parameter port: 0 takes a free one.
  /// - Throws: `noPort`, `unavailable` where there is no broker to begin with.
  package func run(port: UInt16, idleLimit: Duration) throws(PageError) {
    var port = port
    // Lives as long as the process: libmicrohttpd's threads hold it.
    let context = Unmanaged.passRetained(service).toOpaque()
    guard cmhd_start(&port, Self.connections, Self.idleSeconds, Self.bodyLimitBytes, Self.handle, context) != nil else {
      throw PageError(.noPort, "No port of 127.0.0.1 can be listened on; is --port taken?")
    }
    // A broker that restarts is told again.
    var isFirst = true
    while service.isUsed(within: idleLimit) {
      do throws(PageError) {
        let link = try links.open()
        let reply = try link.call(Admin.ServePage.name, Admin.ServePage.Parameters(port: Int64(port)), more: true)
        guard reply.error == nil else { throw PageError(.badReply, "The broker does not take a page; are the versions the same?") }
        isFirst = false
        while service.isUsed(within: idleLimit) {
          guard try !link.hasEnded(within: min(Self.glance, idleLimit / 4)) else { break }
        }
        link.end()
      } catch {
        if isFirst { throw error }
        pause(.milliseconds(300))
      }
    }
  }

  private static let handle: CMHDHandler = { context, request in
    guard let context, let request else { return 0 }
    let service = Unmanaged<PageService>.fromOpaque(context).takeUnretainedValue()
    let response = service.answer(Request(request.pointee))
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
