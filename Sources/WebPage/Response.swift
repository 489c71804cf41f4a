/// What a browser is answered.
package struct Response: Sendable {
  package var status: UInt32
  package var type: String
  package var body: [UInt8]

  package init(_ status: UInt32, _ type: String, _ body: [UInt8]) {
    (self.status, self.type, self.body) = (status, type, body)
  }

  static func json(_ body: [UInt8]) -> Response { Response(200, "application/json", body) }

  /// A refusal, with nothing in it that the asker did not know.
  static func refusal(_ status: UInt32) -> Response { Response(status, "text/plain; charset=utf-8", Array("Not here.\n".utf8)) }

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
