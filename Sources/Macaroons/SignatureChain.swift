internal import Cryptography

/// The chain of HMACs under one root key.
final class SignatureChain {
  private let context: HMACSHA256
  private let derivedKey: Digest

  /// - Throws: `cryptography`.
  init(rootKey: borrowing SecretBytes) throws(MacaroonError) {
    do {
      let context = try HMACSHA256()
      derivedKey = try rootKey.withUnsafeBytes { (key: UnsafeRawBufferPointer) throws(CryptographyError) in
        try Self.code(of: key, key: Self.generatorBytes, context)
      }
      self.context = context
    } catch {
      throw .cryptography(error.message)
    }
  }

  /// The key under which libmacaroons hashes each root key. libmacaroons pads it with zeroes to 32
  /// bytes; HMAC pads to 64 anyway.
  private static let generator: StaticString = "macaroons-key-generator"
  private static var generatorBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: generator.utf8Start, count: generator.utf8CodeUnitCount)
  }

  func signature(of identifier: [UInt8], _ caveats: [[UInt8]]) throws(MacaroonError) -> Digest {
    do {
      var signature = try Self.code(of: identifier, key: derivedKey, context)
      for caveat in caveats { signature = try Self.code(of: caveat, key: signature, context) }
      return signature
    } catch {
      throw .cryptography(error.message)
    }
  }

  /// The key of a budget, for a token that ends with the budget's caveat and has this signature. As
  /// a caveat the text would be outside the grammar.
  static func budgetKey(of signature: Digest) throws(MacaroonError) -> [UInt8] {
    try next(after: signature, Array("budget".utf8)).bytes
  }

  /// The signature after `caveat` is appended.
  static func next(after signature: Digest, _ caveat: [UInt8]) throws(MacaroonError) -> Digest {
    do {
      return try code(of: caveat, key: signature, try HMACSHA256())
    } catch {
      throw .cryptography(error.message)
    }
  }

  private static func code(
    of text: [UInt8], key: Digest, _ context: HMACSHA256
  ) throws(CryptographyError) -> Digest {
    try key.withUnsafeBytes { (key: UnsafeRawBufferPointer) throws(CryptographyError) in
      try text.span.withUnsafeBytes { (text: UnsafeRawBufferPointer) throws(CryptographyError) in
        try code(of: text, key: key, context)
      }
    }
  }

  private static func code(
    of text: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, _ context: HMACSHA256
  ) throws(CryptographyError) -> Digest {
    try context.authenticate(text, key: key)
  }
}
