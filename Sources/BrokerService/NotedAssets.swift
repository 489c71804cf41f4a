import Catalogue

/// Which assets' metadata one token was given already: a bit each, by number.
struct NotedAssets {
  private var words: [UInt64] = []

  /// Whether the asset was not yet in.
  mutating func insert(_ number: AssetNumber) -> Bool {
    let (word, bit) = (Int(number.rawValue >> 6), UInt64(1) << UInt64(number.rawValue & 63))
    if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
    defer { words[word] |= bit }
    return words[word] & bit == 0
  }
}
