/// What a browser is answered.
package struct Response: Sendable {
  package var status: UInt32
  package var type: String
  package var body: [UInt8]
  /// What goes with this answer beside ``headers``.
  package var extra: [(name: String, value: String)]

  package init(_ status: UInt32, _ type: String, _ body: [UInt8], extra: [(name: String, value: String)] = []) {
    (self.status, self.type, self.body, self.extra) = (status, type, body, extra)
  }

  static func json(_ body: [UInt8]) -> Response { Response(200, "application/json", body) }

  /// The part of some bytes that a `Range` header asks for (RFC 9110, section 14): 206 with it, or
  /// 416 where it lies outside. All of them where there is no such header, or one that is not
  /// understood, such as one of several ranges.
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

  /// What goes with every answer: nothing from elsewhere runs, nobody frames it, nothing is kept or passed on.
  package static let headers: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src blob:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
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
