import Cryptography
import PhotoModel
import Testing

struct HashTests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `SHA-256 gives the digests of FIPS 180-4`(text: String, digest: String) throws {
    #expect(Hex.text(try SHA256.digest(of: Array(text.utf8)).bytes) == digest)
  }

  @Test func `a digest in pieces equals the digest of the whole, and the next starts anew`() throws {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    let hash = try SHA256()
    for _ in 0..<2 {
      for start in stride(from: 0, to: 1000, by: 7) { try hash.update(Array(bytes[start..<min(start + 7, 1000)])) }
      try hash.update([])
      #expect(try hash.finish() == SHA256.digest(of: bytes))
    }
  }

  // RFC 4231, test cases 1, 2, 3, 6.
  @Test(arguments: [
    (
      String(repeating: "0b", count: 20), "4869205468657265",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      String(repeating: "aa", count: 131),
      "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func `HMAC-SHA256 gives the codes of RFC 4231`(key: String, message: String, code: String) throws {
    let message = try bytes(message)
    #expect(Hex.text(try HMACSHA256.authenticate(message, key: try secret(key)).bytes) == code)
    let context = try HMACSHA256(key: try secret(key))
    for _ in 0..<3 { #expect(Hex.text(try context.authenticate(message).bytes) == code) }
  }

  @Test func `a key for one use leaves the context's own key unchanged`() throws {
    let context = try HMACSHA256(key: try secret("aa"))
    let own = try context.authenticate([1, 2])
    for length in [1, 32, 63, 64, 65, 131, 500] {
      let key = try RandomBytes.make(length)
      let message = try RandomBytes.make(length)
      let once = try key.withUnsafeBytes { key in try message.withUnsafeBytes { try context.authenticate($0, key: key) }
      }
      // The single-call HMAC of OpenSSL is the oracle for our contexts.
      #expect(once == (try HMACSHA256.authenticate(message, key: SecretBytes(copying: key))))
      #expect(try context.authenticate([1, 2]) == own)
    }
    #expect(throws: CryptographyError.self) { try HMACSHA256(key: try secret("")) }
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(throws: CryptographyError.self) { try context.authenticate(empty, key: empty) }
    #expect(throws: CryptographyError.self) { try HMACSHA256().authenticate([1]) }
  }

  // RFC 5869, test cases 1 and 3.
  @Test func `HKDF gives the keys of RFC 5869`() throws {
    let key = try secret(String(repeating: "0b", count: 22))
    let first = try HKDF.derive(
      from: key, salt: try bytes("000102030405060708090a0b0c"), info: try bytes("f0f1f2f3f4f5f6f7f8f9"),
      count: 42)
    #expect(
      first.hex == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    let third = try HKDF.derive(from: key, info: [], count: 42)
    #expect(
      third.hex == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    #expect(try HKDF.derive(from: key, info: [], count: HKDF.limitBytes).count == HKDF.limitBytes)
    #expect(throws: CryptographyError.self) {
      _ = try HKDF.derive(from: key, info: [], count: HKDF.limitBytes + 1).count
    }
    #expect(throws: CryptographyError.self) { _ = try HKDF.derive(from: key, info: [], count: 0).count }
  }

  @Test func `equality is by content`() throws {
    let bytes = [UInt8](0..<32)
    let digest = try #require(Digest(bytes))
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 1
      #expect(Digest(other) != digest)
    }
    #expect(Digest(bytes + [0]) == nil && Digest([]) == nil)
    #expect(digest.bytes == bytes)
  }
}
