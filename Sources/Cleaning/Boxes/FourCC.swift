/// The type of a box or chunk: four bytes, mostly letters.
struct FourCC: Hashable, ExpressibleByStringLiteral {
  let value: Int

  init(_ value: Int) { self.value = value }

  /// Each character is one byte of Latin-1, as in `©xyz`.
  init(stringLiteral text: String) {
    value = text.unicodeScalars.reduce(0) { $0 << 8 | Int($1.value & 0xff) }
  }

  var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

  /// Whether it can be the type of a box, and not arbitrary data.
  var isPrintable: Bool { bytes.allSatisfy { (0x20...0x7e).contains($0) || $0 == 0xa9 } }
}
