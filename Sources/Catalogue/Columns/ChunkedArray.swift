/// An array that copies share in pieces of 4,096, so that the first append beside a snapshot does not copy all.
struct ChunkedArray<Element: Sendable>: Sendable {
  private static var width: Int { 4_096 }
  private var chunks: [[Element]] = []

  private(set) var count = 0

  subscript(index: UInt32) -> Element {
    get { chunks[Int(index) / Self.width][Int(index) % Self.width] }
    set { chunks[Int(index) / Self.width][Int(index) % Self.width] = newValue }
  }

  mutating func append(_ element: Element) {
    if count % Self.width == 0 {
      chunks.append([])
      chunks[chunks.count - 1].reserveCapacity(Self.width)
    }
    chunks[chunks.count - 1].append(element)
    count += 1
  }
}
