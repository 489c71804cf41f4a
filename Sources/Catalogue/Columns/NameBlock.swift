/// Up to 256 file names. Immutable, like `PackedBlock`.
///
/// What all names begin with ("IMG_") is kept once, and so is each ending from the last point on (".JPG"), as long as
/// a block has no more than 255 of them: that is most of what camera names consist of.
final class NameBlock: Sendable {
  static let rows = 256
  /// Of one name; 256 of them stay below what an end offset of 16 bits reaches.
  static let limitBytes = 255

  private let prefix: [UInt8]
  private let endings: [[UInt8]]
  private let endingOf: [UInt8]
  private let ends: [UInt16]
  private let bytes: [UInt8]

  init(_ names: [[UInt8]]) {
    var shared = names.first.map { $0[...] } ?? []
    for name in names { shared = shared.prefix(zip(shared, name).prefix { $0 == $1 }.count) }
    var endings: [[UInt8]] = [[]]
    var (endingOf, ends, bytes): ([UInt8], [UInt16], [UInt8]) = ([], [], [])
    endingOf.reserveCapacity(names.count)
    ends.reserveCapacity(names.count)
    for name in names {
      var stem = name[shared.count...]
      var ending = 0
      if let point = stem.lastIndex(of: UInt8(ascii: ".")) {
        if let known = endings.firstIndex(where: { $0.elementsEqual(stem[point...]) }) {
          ending = known
        } else if endings.count <= 255 {
          ending = endings.count
          endings.append(Array(stem[point...]))
        }
        if ending != 0 { stem = stem[..<point] }
      }
      bytes += stem
      endingOf.append(UInt8(ending))
      ends.append(UInt16(bytes.count))
    }
    (prefix, self.endings, self.endingOf, self.ends) = (Array(shared), endings, endingOf, ends)
    self.bytes = bytes.withUnsafeBufferPointer(Array.init)
  }

  func withBytes<R>(_ row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.limitBytes) { buffer in
      let stem = (row == 0 ? 0 : Int(ends[row - 1]))..<Int(ends[row])
      var end = buffer.update(fromContentsOf: prefix)
      end = buffer[end...].update(fromContentsOf: bytes[stem])
      end = buffer[end...].update(fromContentsOf: endings[Int(endingOf[row])])
      return body(UnsafeBufferPointer(rebasing: buffer[..<end]))
    }
  }

  func setting(_ row: Int, to name: [UInt8]) -> NameBlock {
    NameBlock(ends.indices.map { other in other == row ? name : withBytes(other) { Array($0) } })
  }
}
