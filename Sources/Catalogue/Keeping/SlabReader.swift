/// Reads the bytes of `SlabWriter`. It never returns memory outside the slab.
struct SlabReader {
  private let slab: Slab
  private(set) var offset = 0

  init(_ slab: Slab) { self.slab = slab }

  var isAtEnd: Bool { offset == slab.bytes.count }

  mutating func word() throws(CatalogueError) -> UInt64 { try array(1, of: UInt64.self)[0] }

  mutating func counts() throws(CatalogueError) -> (low: Int, high: Int) {
    let word = try word()
    return (Int(word & 0xFFFF_FFFF), Int(word >> 32))
  }

  mutating func array<Element: BitwiseCopyable>(_ count: Int, of type: Element.Type) throws(CatalogueError)
    -> FixedArray<Element>
  {
    guard let array = FixedArray<Element>(slab, at: offset, count: count) else {
      throw .damagedCopy("it ends too early")
    }
    offset += (count * MemoryLayout<Element>.stride + 7) / 8 * 8
    return array
  }

  /// Throws `damagedCopy` unless the condition holds.
  func expect(_ isRight: Bool) throws(CatalogueError) {
    guard isRight else { throw .damagedCopy("a part of it contradicts another") }
  }
}
