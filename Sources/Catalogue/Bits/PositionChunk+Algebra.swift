extension PositionChunk {
  func intersection(_ other: PositionChunk) -> PositionChunk {
    switch (self, other) {
    case (.absent, _), (_, .absent): .absent
    case (.full, let rest), (let rest, .full): rest
    case (.array(let values), let rest), (let rest, .array(let values)): Self(ascending: values.filter(rest.contains))
    case (.bits(let a, _), .bits(let b, _)): Self.combine(a, b, &)
    }
  }

  func union(_ other: PositionChunk) -> PositionChunk {
    switch (self, other) {
    case (.absent, let rest), (let rest, .absent): return rest
    case (.full, _), (_, .full): return .full
    case (.bits(let a, _), .bits(let b, _)): return Self.combine(a, b, |)
    case (.array(let values), let rest), (let rest, .array(let values)):
      let words = rest.expanded()
      values.forEach(words.set)
      return Self(owning: words)
    }
  }

  func subtracting(_ other: PositionChunk) -> PositionChunk {
    switch (self, other) {
    case (.absent, _), (_, .full): return .absent
    case (_, .absent): return self
    case (.array(let values), _): return Self(ascending: values.filter { !other.contains($0) })
    case (.bits(let a, _), .bits(let b, _)): return Self.combine(a, b) { $0 & ~$1 }
    case (_, .array(let values)):
      let words = expanded()
      values.forEach(words.clear)
      return Self(owning: words)
    case (.full, .bits(let b, _)): return Self.combine(b, b) { word, _ in ~word }
    }
  }

  @inline(__always)
  private static func combine(_ a: BitWords, _ b: BitWords, _ operation: (UInt64, UInt64) -> UInt64) -> PositionChunk {
    let words = BitWords()
    for index in 0..<BitWords.count { words.words[index] = operation(a.words[index], b.words[index]) }
    return Self(owning: words)
  }
}

extension PositionChunk: Equatable {
  static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.absent, .absent), (.full, .full): true
    case (.array(let a), .array(let b)): a == b
    case (.bits(let a, let countA), .bits(let b, let countB)):
      countA == countB && (a === b || (0..<BitWords.count).allSatisfy { a.words[$0] == b.words[$0] })
    default: false
    }
  }
}
