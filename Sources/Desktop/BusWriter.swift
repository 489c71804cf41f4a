/// Writes values in D-Bus's form, little-endian: each at a multiple of its size, counted from the message's begin.
///
/// Source: https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol-marshaling
struct BusWriter {
  private(set) var bytes: [UInt8] = []

  mutating func align(_ size: Int) { while bytes.count % size != 0 { bytes.append(0) } }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func number(_ value: UInt32) {
    align(4)
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Without NULs, which end a text there.
  mutating func text(_ value: String) {
    let utf8 = value.utf8.filter { $0 != 0 }
    number(UInt32(utf8.count))
    bytes.append(contentsOf: utf8)
    bytes.append(0)
  }

  /// The types of what follows.
  mutating func signature(_ value: String) {
    bytes.append(UInt8(truncatingIfNeeded: value.utf8.count))
    bytes.append(contentsOf: value.utf8)
    bytes.append(0)
  }

  /// Writes elements between their length and nothing; the length counts from the first one's place.
  mutating func array(alignedTo size: Int, _ write: (inout BusWriter) -> Void) {
    number(0)
    let lengthAt = bytes.count - 4
    align(size)
    let start = bytes.count
    write(&self)
    let length = UInt32(bytes.count - start).littleEndian
    withUnsafeBytes(of: length) { bytes.replaceSubrange(lengthAt..<lengthAt + 4, with: $0) }
  }
}
