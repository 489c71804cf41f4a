/// A digest that tells states apart, word by word. It is not secret, and does not resist deliberate
/// collisions.
struct StateDigest {
  private(set) var value: UInt64

  init(_ start: UInt64 = 0xcbf2_9ce4_8422_2325) { value = start }

  mutating func mix(_ word: UInt64) {
    value = (value ^ word) &* 0x9e37_79b9_7f4a_7c15
    value ^= value >> 29
  }

  mutating func mix(_ text: String.UTF8View) {
    mix(UInt64(text.count))
    var (word, count) = (UInt64(0), 0)
    for byte in text {
      word = word << 8 | UInt64(byte)
      count += 1
      if count % 8 == 0 { mix(word) }
    }
    mix(word)
  }
}
