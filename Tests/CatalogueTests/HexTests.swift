import PhotoModel
import Testing

struct HexTests {
  @Test func `hexadecimal text is lower case and complete`() {
    let bytes = [UInt8](0...255)
    let text = Hex.text(bytes)
    #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff") && text.utf8.count == 512)
    #expect(Hex.bytes(text) == bytes)
    for bad in ["0", "0g", "AB", "0x00", " 00", "00 ", "é"] { #expect(Hex.bytes(bad) == nil) }
  }

  @Test func `a hexadecimal number keeps its leading zeros`() {
    #expect(Hex.text(0x1f as UInt64) == "000000000000001f")
    #expect(Hex.number("000000000000001f") as UInt64? == 0x1f)
    #expect(Hex.number("ffffffffffffffffffffffffffffffff") as UInt128? == .max)
    for bad in ["1f", "000000000000001F", "+00000000000001f", "0000000000000001f"] {
      #expect(Hex.number(bad) as UInt64? == nil)
    }
  }
}
