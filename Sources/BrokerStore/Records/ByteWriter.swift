/// Encodes numbers and identifiers for blobs of the database.
struct ByteWriter {
  private(set) var bytes: [UInt8]

  init(reserving count: Int = 0) {
    bytes = []
    bytes.reserveCapacity(count)
  }

  mutating func put(_ byte: UInt8) { bytes.append(byte) }

  /// Seven bits per byte, lowest first.
  mutating func putCompact(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Short for numbers near zero, also negative ones.
  mutating func putCompact(signed number: Int64) {
    putCompact(UInt64(bitPattern: number) << 1 ^ UInt64(bitPattern: number >> 63))
  }

  mutating func put(_ identifier: some RandomIdentifier) {
    identifier.withBigEndian { bytes.append(contentsOf: $0) }
  }

  /// The number of elements and the elements.
  mutating func put<Element>(_ elements: [Element], _ write: (inout Self, Element) -> Void) {
    putCompact(UInt64(elements.count))
    for element in elements { write(&self, element) }
  }

  mutating func put(_ content: [UInt8]) {
    putCompact(UInt64(content.count))
    bytes += content
  }

  mutating func put(_ text: String) {
    putCompact(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}
