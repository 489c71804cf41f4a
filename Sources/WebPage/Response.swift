/// An HTTP response.
package struct Response: Sendable {
  package var status: UInt32
  package var type: String
  package var body: [UInt8]
  /// Headers of this response beyond ``headers``.
  package var extra: [(name: String, value: String)]

  package init(_ status: UInt32, _ type: String, _ body: [UInt8], extra: [(name: String, value: String)] = []) {
    (self.status, self.type, self.body, self.extra) = (status, type, body, extra)
  }

  static func json(_ body: [UInt8]) -> Response { Response(200, "application/json", body) }

  /// The part of `bytes` that a `Range` header selects: 206, or 416 if it is outside. Without a
  /// header, or with an unsupported one such as several ranges, 200 with all bytes.
  ///
  /// Source: RFC 9110, section 14.
  static func part(_ range: String?, of bytes: [UInt8], _ type: String) -> Response {
    let whole = Response(200, type, bytes, extra: [("Accept-Ranges", "bytes")])
    guard let range, let asked = ByteRange(range) else { return whole }
    guard let part = asked.resolved(in: bytes.count) else {
      return Response(416, type, [], extra: [("Content-Range", "bytes */\(bytes.count)")])
    }
    return Response(
      206, type, Array(bytes[part]),
      extra: [
        ("Accept-Ranges", "bytes"), ("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)"),
      ])
  }

  /// Headers of every response: no scripts from elsewhere, no framing, no caching, no referrer.
  package static let headers: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      """
      default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src blob:; \
      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
      require-trusted-types-for 'script'; trusted-types 'none'
      """
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
    ("Cache-Control", "no-store"),
  ]
}
