/// 65,536 bits. A class with a raw pointer, because a walk ANDs several of these in its innermost
/// loop. Only `PositionChunk` writes it, and only while it holds the one reference.
final class BitWords: @unchecked Sendable {
  static let count = 1024
  let words: UnsafeMutablePointer<UInt64>

  init() {
    words = .allocate(capacity: Self.count)
    words.initialize(repeating: 0, count: Self.count)
  }

  init(copying other: BitWords) {
    words = .allocate(capacity: Self.count)
    words.initialize(from: other.words, count: Self.count)
  }

  /// - Parameter other: Exactly `count` words.
  init(copying other: FixedArray<UInt64>) {
    words = .allocate(capacity: Self.count)
    for index in 0..<Self.count { words[index] = other[index] }
  }

  deinit { words.deallocate() }

  subscript(low: UInt16) -> Bool { words[Int(low >> 6)] & (1 << UInt64(low & 63)) != 0 }

  func set(_ low: UInt16) { words[Int(low >> 6)] |= 1 << UInt64(low & 63) }
  func clear(_ low: UInt16) { words[Int(low >> 6)] &= ~(1 << UInt64(low & 63)) }

  func population() -> Int {
    var sum = 0
    for index in 0..<Self.count { sum += words[index].nonzeroBitCount }
    return sum
  }
}
