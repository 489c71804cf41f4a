import Limits

internal import Cryptography

// Format v2: a version byte, then sections of fields with type, length and content. A zero ends
// each section.
extension Macaroon {
  private enum Field {
    static let endOfSection: UInt8 = 0
    static let location: UInt8 = 1
    static let identifier: UInt8 = 2
    static let verificationIdentifier: UInt8 = 4
    static let signature: UInt8 = 6
  }

  private static let version: UInt8 = 2

  /// The binary token.
  public var binary: [UInt8] {
    var bytes = [Self.version]
    if !location.isEmpty { Self.append(Field.location, Array(location.utf8), to: &bytes) }
    Self.append(Field.identifier, identifier, to: &bytes)
    bytes.append(Field.endOfSection)
    for caveat in caveats {
      Self.append(Field.identifier, caveat, to: &bytes)
      bytes.append(Field.endOfSection)
    }
    bytes.append(Field.endOfSection)
    Self.append(Field.signature, signature.bytes, to: &bytes)
    return bytes
  }

  /// The token in base64url without padding, as apps store and send it.
  public var text: String { Base64URL.encode(binary) }

  /// Parses a binary token. Only the canonical encoding is accepted.
  ///
  /// - Throws: `malformed`, `limitExceeded`, `thirdPartyCaveat`.
  public init(binary: [UInt8]) throws(MacaroonError) {
    if binary.count > MacaroonLimits.bytes { throw .tooLong }
    var reader = BinaryReader(binary)
    guard reader.byte() == Self.version else { throw .malformed }
    let locationBytes = try reader.field(Field.location) ?? []
    guard let location = String(validating: locationBytes, as: UTF8.self),
      let identifier = try reader.field(Field.identifier), reader.byte() == Field.endOfSection
    else { throw .malformed }
    var caveats: [[UInt8]] = []
    while !reader.take(Field.endOfSection) {
      // Only third-party caveats have a location.
      if try reader.field(Field.location) != nil { throw .thirdPartyCaveat }
      guard let caveat = try reader.field(Field.identifier) else { throw .malformed }
      if try reader.field(Field.verificationIdentifier) != nil { throw .thirdPartyCaveat }
      guard reader.byte() == Field.endOfSection else { throw .malformed }
      if caveats.count >= MacaroonLimits.caveats { throw .tooManyCaveats }
      caveats.append(caveat)
    }
    guard let bytes = try reader.field(Field.signature), let signature = Digest(bytes), reader.isAtEnd else {
      throw .malformed
    }
    self.init(location: location, identifier: identifier, caveats: caveats, signature: signature)
    // Rejects an empty location field: the canonical encoding omits it.
    if self.binary.count != binary.count { throw .malformed }
  }

  /// Parses a token in base64url.
  ///
  /// - Throws: `malformed`, `limitExceeded`, `thirdPartyCaveat`.
  public init(text: String) throws(MacaroonError) {
    if text.utf8.count > (MacaroonLimits.bytes * 4 + 2) / 3 { throw .tooLong }
    guard let binary = try? Base64URL.decode(text) else { throw .malformed }
    try self.init(binary: binary)
  }

  private static func append(_ field: UInt8, _ content: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(field)
    var length = UInt64(content.count)
    while length >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: length) | 0x80)
      length >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: length))
    bytes += content
  }
}
