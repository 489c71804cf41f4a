/// Up to 256 file names, one after the other. Immutable, like `PackedBlock`.
final class NameBlock: Sendable {
  static let rows = 256
  /// Of one name; 256 of them stay below what an end offset of 16 bits reaches.
  static let limitBytes = 255

  private let ends: [UInt16]
  private let bytes: [UInt8]

  init(ends: [UInt16], bytes: [UInt8]) {
    self.ends = Array(ends)
    self.bytes = bytes.withUnsafeBufferPointer(Array.init)
  }

  func range(_ row: Int) -> Range<Int> { (row == 0 ? 0 : Int(ends[row - 1]))..<Int(ends[row]) }

  func withBytes<R>(_ row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range(row)])) }
  }

  func setting(_ row: Int, to name: [UInt8]) -> NameBlock {
    var ends: [UInt16] = []
    var bytes: [UInt8] = []
    for other in self.ends.indices {
      if other == row { bytes += name } else { bytes += self.bytes[range(other)] }
      ends.append(UInt16(bytes.count))
    }
    return NameBlock(ends: ends, bytes: bytes)
  }
}
