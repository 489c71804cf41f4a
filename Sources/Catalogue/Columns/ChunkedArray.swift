/// An array whose copies share pieces of 4,096, so that the first append after a snapshot does not
/// copy all. It may begin with values of a file.
struct ChunkedArray<Element: BitwiseCopyable & Sendable>: Sendable {
  private static var width: Int { 4_096 }
  private let front: FixedArray<Element>
  private var chunks: [[Element]] = []

  private(set) var count: Int

  init(_ front: FixedArray<Element> = FixedArray()) { (self.front, count) = (front, front.count) }

  subscript(index: UInt32) -> Element {
    if Int(index) < front.count { return front[Int(index)] }
    let index = Int(index) - front.count
    return chunks[index / Self.width][index % Self.width]
  }

  mutating func append(_ element: Element) {
    if (count - front.count) % Self.width == 0 {
      chunks.append([])
      chunks[chunks.count - 1].reserveCapacity(Self.width)
    }
    chunks[chunks.count - 1].append(element)
    count += 1
  }

  func encode(to writer: inout SlabWriter) {
    writer.put(UInt64(count))
    guard !chunks.isEmpty else { return writer.put(front.values) }
    for index in 0..<UInt32(truncatingIfNeeded: count) { writer.put([self[index]]) }
  }

  init(decoding reader: inout SlabReader) throws(CatalogueError) {
    let count = try reader.word()
    try reader.expect(count <= UInt64(Catalogue.limit))
    self.init(try reader.array(Int(count), of: Element.self))
  }
}
