import Cryptography
import PhotoModel
import Testing

struct CipherTests {
  // FIPS 197, appendix C.1.
  @Test func `the permutation is AES-128 and inverts`() throws {
    let permutation = try BlockPermutation(key: try secret("000102030405060708090a0b0c0d0e0f"))
    var numbers: [UInt128] = [0x0011_2233_4455_6677_8899_aabb_ccdd_eeff]
    try permutation.apply(&numbers)
    #expect(numbers == [0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a])
    try permutation.invert(&numbers)
    #expect(numbers == [0x0011_2233_4455_6677_8899_aabb_ccdd_eeff])
    let many = (0..<1000).map { UInt128($0) }
    var images = many
    try permutation.apply(&images)
    #expect(Set(images).count == 1000 && Set(images).isDisjoint(with: many))
    for index in [0, 1, 500, 999] {
      var one = [many[index]]
      try permutation.apply(&one)
      #expect(one == [images[index]])
    }
    try permutation.invert(&images)
    #expect(images == many)
  }

  @Test func `the permutation requires whole blocks and a whole key`() throws {
    let permutation = try BlockPermutation(key: try SecretBytes(random: 16))
    var bytes = [UInt8](repeating: 0, count: 17)
    #expect(throws: CryptographyError.self) { try bytes.withUnsafeMutableBytes { try permutation.apply($0) } }
    #expect(bytes == [UInt8](repeating: 0, count: 17))
    var none: [UInt128] = []
    try permutation.apply(&none)
    #expect(throws: CryptographyError.self) { try BlockPermutation(key: try SecretBytes(random: 32)) }
  }

  private func box(_ key: String = String(repeating: "5a", count: 64)) throws -> SealedBox {
    try SealedBox(key: try secret(key))
  }

  // Computed with RFC 5297's construction over another program's AES-256.
  @Test func `a box is AES-SIV`() throws {
    let key = (0..<64).map { UInt8($0) }
    let box = try SealedBox(key: SecretBytes(copying: key))
    let sealed = try box.seal(Array("what is sealed".utf8), associated: Array("for whom".utf8))
    #expect(Hex.text(sealed) == "de24eadd978417125bb868801d9256241d4054b83b052bd95ca410d26e72")
  }

  @Test func `equal texts give equal boxes and different texts do not`() throws {
    let box = try box()
    let sealed = try box.sealToText([1, 2, 3], associated: [9])
    #expect(try box.sealToText([1, 2, 3], associated: [9]) == sealed)
    #expect(try box.sealToText([1, 2, 4], associated: [9]) != sealed)
    #expect(try box.sealToText([1, 2, 3], associated: [8]) != sealed)
    #expect(try box.sealToText([1, 2, 3], associated: []) != sealed)
    #expect(try self.box(String(repeating: "5b", count: 64)).sealToText([1, 2, 3], associated: [9]) != sealed)
  }

  @Test(arguments: [1, 15, 16, 17, 100])
  func `a box opens only whole with its key and associated data`(length: Int) throws {
    let box = try box()
    let text = (0..<length).map { UInt8($0) }
    let associated = Array("grant".utf8)
    let sealed = try box.seal(text, associated: associated)
    #expect(sealed.count == length + SealedBox.overheadBytes)
    #expect(try box.open(sealed, associated: associated) == text)
    func refuses(_ changed: [UInt8], _ associated: [UInt8]) -> Bool {
      do {
        _ = try box.open(changed, associated: associated)
        return false
      } catch { return error.code == .authenticationFailed }
    }
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 0x40
      #expect(refuses(changed, associated))
      #expect(refuses(Array(sealed[..<index]), associated))
    }
    #expect(refuses(sealed + [0], associated))
    #expect(refuses(sealed, []))
    #expect(refuses(sealed, associated + [0]))
    // A failed open leaves no state behind.
    #expect(try box.open(sealed, associated: associated) == text)
    let other = try self.box(String(repeating: "5b", count: 64))
    #expect(throws: CryptographyError.self) { try other.open(sealed, associated: associated) }
  }

  @Test(arguments: ["", "A", "AAAA", "====", "é", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
  func `text that is not a box is refused`(text: String) throws {
    let box = try box()
    let error = #expect(throws: CryptographyError.self) { try box.openText(text, associated: []) }
    #expect(error?.code == .authenticationFailed)
  }

  @Test func `random bytes differ`() throws {
    #expect(try RandomBytes.make(0).isEmpty)
    let numbers = try (0..<100).map { _ in try RandomBytes.make(16) }
    #expect(Set(numbers).count == 100)
    #expect(try RandomBytes.make(32) != RandomBytes.make(32))
    #expect(try SecretBytes(random: 32).hex != (try SecretBytes(random: 32)).hex)
  }
}
