import Cryptography
import PhotoModel
import Testing

/// Test vectors of RFC 1321, RFC 3174 and FIPS 180-4.
struct NamedHashTests {
  @Test(arguments: [
    ("md5", "900150983cd24fb0d6963f7d28e17f72"), ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  ]) func `a hash known by name is written in digits`(_ algorithm: String, _ digits: String) {
    #expect(NamedHash.digest(algorithm, of: Array("abc".utf8)) == Hex.bytes(digits))
  }

  @Test(arguments: ["", "quickxor", "sha1,x", "no such hash"]) func `an unknown hash has no digits`(
    _ algorithm: String
  ) {
    #expect(NamedHash.digest(algorithm, of: [1]) == nil)
  }
}
