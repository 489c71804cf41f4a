/// The part of a set in one range of 65,536 positions, in the smallest of four forms. Copies share
/// it.
///
/// The form follows from the count alone: absent for 0, array up to 1,024, full for 65,536, else
/// bits. So equal sets have equal forms, and a stored chunk has one encoding.
enum PositionChunk: Sendable {
  case absent
  case full
  /// Ascending.
  case array([UInt16])
  case bits(BitWords, count: Int)

  static let width = 65_536
  static let arrayLimit = 1_024

  var count: Int {
    switch self {
    case .absent: 0
    case .full: Self.width
    case .array(let values): values.count
    case .bits(_, let count): count
    }
  }

  /// The smallest form of these words. The caller must not use them afterwards.
  init(owning words: BitWords) {
    let count = words.population()
    switch count {
    case 0: self = .absent
    case Self.width: self = .full
    case ...Self.arrayLimit: self = .array(Self.values(of: words, count: count))
    default: self = .bits(words, count: count)
    }
  }

  /// - Parameter values: Ascending, without repeats.
  init(ascending values: [UInt16]) {
    if values.isEmpty {
      self = .absent
    } else if values.count <= Self.arrayLimit {
      self = .array(values)
    } else {
      let words = BitWords()
      for value in values { words.set(value) }
      self = .init(owning: words)
    }
  }

  func contains(_ low: UInt16) -> Bool {
    switch self {
    case .absent: false
    case .full: true
    case .array(let values): values.lowerBound(of: low).found
    case .bits(let words, _): words[low]
    }
  }

  /// Returns whether it was new.
  mutating func insert(_ low: UInt16) -> Bool {
    switch self {
    case .full: return false
    case .absent:
      self = .array([low])
      return true
    case .array(var values):
      let (index, found) = values.lowerBound(of: low)
      guard !found else { return false }
      if values.count == Self.arrayLimit {
        let words = expanded()
        words.set(low)
        self = .bits(words, count: values.count + 1)
      } else {
        self = .absent  // drops the second reference, so that the insertion does not copy
        values.insert(low, at: index)
        self = .array(values)
      }
      return true
    case .bits(var words, let count):
      guard !words[low] else { return false }
      self = .absent
      if !isKnownUniquelyReferenced(&words) { words = BitWords(copying: words) }
      words.set(low)
      self = count + 1 == Self.width ? .full : .bits(words, count: count + 1)
      return true
    }
  }

  /// Returns whether it was a member.
  mutating func remove(_ low: UInt16) -> Bool {
    switch self {
    case .absent: return false
    case .full:
      let words = expanded()
      words.clear(low)
      self = .bits(words, count: Self.width - 1)
      return true
    case .array(var values):
      let (index, found) = values.lowerBound(of: low)
      guard found else { return false }
      self = .absent
      values.remove(at: index)
      if !values.isEmpty { self = .array(values) }
      return true
    case .bits(var words, let count):
      guard words[low] else { return false }
      self = .absent
      if !isKnownUniquelyReferenced(&words) { words = BitWords(copying: words) }
      words.clear(low)
      self =
        count - 1 <= Self.arrayLimit
        ? .array(Self.values(of: words, count: count - 1)) : .bits(words, count: count - 1)
      return true
    }
  }

  func expanded() -> BitWords {
    switch self {
    case .bits(let words, _): return BitWords(copying: words)
    case .absent: return BitWords()
    case .full:
      let words = BitWords()
      words.words.update(repeating: .max, count: BitWords.count)
      return words
    case .array(let values):
      let words = BitWords()
      for value in values { words.set(value) }
      return words
    }
  }

  /// The members as bits, shared if possible; nil for an empty chunk.
  func asBits() -> BitWords? {
    switch self {
    case .absent: nil
    case .bits(let words, _): words
    default: expanded()
    }
  }

  /// In ascending order.
  func forEach(_ body: (UInt16) -> Void) {
    switch self {
    case .absent: break
    case .full: for low in UInt16.min...UInt16.max { body(low) }
    case .array(let values): values.forEach(body)
    case .bits(let words, _):
      for index in 0..<BitWords.count {
        var word = words.words[index]
        while word != 0 {
          body(UInt16(truncatingIfNeeded: index << 6 | word.trailingZeroBitCount))
          word &= word - 1
        }
      }
    }
  }

  private static func values(of words: BitWords, count: Int) -> [UInt16] {
    var values: [UInt16] = []
    values.reserveCapacity(count)
    PositionChunk.bits(words, count: count).forEach { values.append($0) }
    return values
  }
}

extension [UInt16] {
  func lowerBound(of value: UInt16) -> (index: Int, found: Bool) {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return (low, low < count && self[low] == value)
  }
}
