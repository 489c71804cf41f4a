/// Base64 in the URL alphabet without padding (RFC 4648, section 5).
enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var characters: [UInt8] = []
    characters.reserveCapacity((bytes.count * 4 + 2) / 3)
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      buffer = (buffer & 0x3f) << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        characters.append(alphabet[Int(buffer >> bits & 0x3f)])
      }
    }
    if bits > 0 { characters.append(alphabet[Int(buffer << (6 - bits) & 0x3f)]) }
    return String(decoding: characters, as: UTF8.self)
  }
}
