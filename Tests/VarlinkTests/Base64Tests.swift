import Foundation
import Testing
import Varlink

@Suite struct Base64Tests {
  @Test func `another encoder's output is decoded`() throws {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count) }
      #expect(Base64.decode(Data(bytes).base64EncodedString()) == bytes)
    }
  }

  @Test(arguments: ["A", "AA", "AAA", "A===", "AA=A", "AB==", "AAB=", "AA==AA==", "AA\nAA", "AA-_", " AAA", "AAAA="])
  func `one value has one text`(text: String) { #expect(Base64.decode(text) == nil) }
}
