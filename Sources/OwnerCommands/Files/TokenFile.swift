import Macaroons

enum TokenFile {
  /// Limit of a token file: one token in base64url and a newline.
  static let limitBytes = 8_192

  /// - Throws: `notFound`, `badData`. The messages do not quote the token.
  static func read(_ path: String, console: any Console) throws(CommandError) -> Macaroon {
    let bytes = try InputFile.read(path, limitBytes: limitBytes, console: console)
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 1, let text = words.first else {
      throw CommandError(.badData, "\(path) must hold exactly one token.")
    }
    do { return try Macaroon(text: String(text)) } catch { throw CommandError(.badData, "\(path): \(error.message)") }
  }
}
