/// Reads the encoding of ``ByteWriter``. Each method returns nil past the end and for invalid
/// bytes.
struct ByteReader {
  private let content: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { content = bytes }

  var isAtEnd: Bool { position == content.count }

  mutating func byte() -> UInt8? {
    guard position < content.count else { return nil }
    defer { position += 1 }
    return content[position]
  }

  mutating func compact() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let next = byte() else { return nil }
      if shift == 63, next > 1 { return nil }
      number |= UInt64(next & 0x7f) << shift
      if next < 0x80 { return number }
    }
    return nil
  }

  mutating func compactSigned() -> Int64? {
    guard let number = compact() else { return nil }
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  /// A number of items of at least `size` bytes each, so that a damaged number cannot exhaust
  /// memory.
  mutating func count(ofAtLeast size: Int) -> Int? {
    guard let number = compact(), number <= UInt64((content.count - position) / size) else { return nil }
    return Int(number)
  }

  mutating func identifier<Identifier: RandomIdentifier>() -> Identifier? {
    guard content.count - position >= 16 else { return nil }
    defer { position += 16 }
    return content.withUnsafeBytes {
      Identifier(bigEndian: UnsafeRawBufferPointer(rebasing: $0[position..<position + 16]))
    }
  }

  /// A number of elements and the elements, of at least `size` bytes each.
  mutating func list<Element>(ofAtLeast size: Int, _ read: (inout Self) -> Element?) -> [Element]? {
    guard let count = count(ofAtLeast: size) else { return nil }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count {
      guard let element = read(&self) else { return nil }
      elements.append(element)
    }
    return elements
  }

  mutating func text() -> String? {
    guard let count = count(ofAtLeast: 1) else { return nil }
    defer { position += count }
    return String(decoding: content[position..<position + count], as: UTF8.self)
  }

  mutating func bytes() -> [UInt8]? {
    guard let count = count(ofAtLeast: 1) else { return nil }
    defer { position += count }
    return Array(content[position..<position + count])
  }
}
