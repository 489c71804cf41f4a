import Cryptography
import Foundation
import Testing

struct TextCodingTests {
  @Test func `base64url is Foundation's base64 with other digits and without padding`() throws {
    for length in 0..<70 {
      let bytes = try RandomBytes.make(length)
      let expected = Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
      #expect(Base64URL.encode(bytes) == expected)
      #expect(try Base64URL.decode(expected) == bytes)
    }
  }

  @Test(arguments: ["A", "AAAAA", "AA==", "AA=", "A A", "AB", "AAB", "AA+A", "AA/A", "AA\n", "é", "AAA\0", " AA"])
  func `any other base64url text is refused`(text: String) {
    #expect(throws: CryptographyError.self) { try Base64URL.decode(text) }
  }
}
