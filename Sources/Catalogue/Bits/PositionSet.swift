/// A set of 32-bit numbers in chunks of 65,536. Copies share chunks until they differ.
struct PositionSet: Equatable, Sendable {
  /// Has no trailing absent chunk.
  private(set) var chunks: [PositionChunk] = []

  init() {}

  /// - Parameter numbers: In any order, repeats allowed.
  init(_ numbers: some Collection<UInt32>) {
    guard numbers.count > 256 else {
      for number in numbers { insert(number) }
      return
    }
    var words: [BitWords?] = []
    for number in numbers {
      let index = Int(number >> 16)
      while words.count <= index { words.append(nil) }
      let chunk = words[index] ?? BitWords()
      chunk.set(UInt16(truncatingIfNeeded: number))
      words[index] = chunk
    }
    chunks = words.map { $0.map(PositionChunk.init(owning:)) ?? .absent }
  }

  init(chunks: [PositionChunk]) {
    self.chunks = chunks
    trim()
  }

  var isEmpty: Bool { chunks.isEmpty }
  var count: Int { chunks.reduce(0) { $0 + $1.count } }

  func chunk(_ index: Int) -> PositionChunk { index < chunks.count ? chunks[index] : .absent }

  func contains(_ number: UInt32) -> Bool {
    let index = Int(number >> 16)
    return index < chunks.count && chunks[index].contains(UInt16(truncatingIfNeeded: number))
  }

  @discardableResult
  mutating func insert(_ number: UInt32) -> Bool {
    let index = Int(number >> 16)
    while chunks.count <= index { chunks.append(.absent) }
    return chunks[index].insert(UInt16(truncatingIfNeeded: number))
  }

  @discardableResult
  mutating func remove(_ number: UInt32) -> Bool {
    let index = Int(number >> 16)
    guard index < chunks.count else { return false }
    let removed = chunks[index].remove(UInt16(truncatingIfNeeded: number))
    trim()
    return removed
  }

  mutating func set(_ number: UInt32, to member: Bool) {
    if member { insert(number) } else { remove(number) }
  }

  /// In ascending order.
  func forEach(_ body: (UInt32) -> Void) {
    for (index, chunk) in chunks.enumerated() {
      let base = UInt32(truncatingIfNeeded: index) << 16
      chunk.forEach { body(base | UInt32($0)) }
    }
  }

  /// In ascending order.
  var members: [UInt32] {
    var members: [UInt32] = []
    members.reserveCapacity(count)
    forEach { members.append($0) }
    return members
  }

  func intersection(_ other: PositionSet) -> PositionSet {
    PositionSet(chunks: zip(chunks, other.chunks).map { $0.intersection($1) })
  }

  func union(_ other: PositionSet) -> PositionSet {
    PositionSet(chunks: (0..<max(chunks.count, other.chunks.count)).map { chunk($0).union(other.chunk($0)) })
  }

  func subtracting(_ other: PositionSet) -> PositionSet {
    PositionSet(chunks: chunks.indices.map { chunks[$0].subtracting(other.chunk($0)) })
  }

  private mutating func trim() {
    while case .absent? = chunks.last { chunks.removeLast() }
  }
}
