import Catalogue

/// Which assets' metadata one token was given already: a bit each, by number.
struct NotedAssets {
  private var words: [UInt64] = []

  func contains(_ number: AssetNumber) -> Bool {
    let word = Int(number.rawValue >> 6)
    return word < words.count && words[word] & 1 << UInt64(number.rawValue & 63) != 0
  }

  mutating func insert(_ number: AssetNumber) {
    let word = Int(number.rawValue >> 6)
    if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
    words[word] |= 1 << UInt64(number.rawValue & 63)
  }
}
