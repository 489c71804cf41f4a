import CMicroHTTPD

/// A browser's request, copied out of libmicrohttpd's memory.
package struct Request: Sendable {
  package var method: String
  package var path: String
  package var host: String?
  package var origin: String?
  package var fetchSite: String?
  package var fetchMode: String?
  package var fetchDestination: String?
  package var contentType: String?
  package var session: String?
  package var range: String?
  package var body: [UInt8]
  /// Whether the browser has disconnected; valid only while the request is being answered.
  package var isAbandoned: @Sendable () -> Bool = { false }

  package init(
    _ method: String, _ path: String, host: String? = nil, origin: String? = nil, fetchSite: String? = nil,
    fetchMode: String? = nil,
    fetchDestination: String? = nil, contentType: String? = nil, session: String? = nil, range: String? = nil,
    body: [UInt8] = []
  ) {
    (self.method, self.path, self.host, self.origin) = (method, path, host, origin)
    (self.fetchSite, self.fetchMode, self.fetchDestination) = (fetchSite, fetchMode, fetchDestination)
    (self.contentType, self.session, self.range, self.body) = (contentType, session, range, body)
  }

  init(_ request: CMHDRequest) {
    func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
    self.init(
      text(request.method) ?? "", text(request.path) ?? "", host: text(request.host), origin: text(request.origin),
      fetchSite: text(request.fetchSite), fetchMode: text(request.fetchMode),
      fetchDestination: text(request.fetchDestination),
      contentType: text(request.contentType), session: text(request.session), range: text(request.range),
      body: Array(UnsafeBufferPointer(start: request.body, count: request.length)))
    nonisolated(unsafe) let connection = request.connection
    isAbandoned = { cmhd_is_abandoned(connection) != 0 }
  }
}
