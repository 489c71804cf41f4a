/// A path pattern: `*` within a name, `**` across folders, `?` one character. Not a regular expression: matching takes at
/// most pattern times path steps.
struct Glob {
  private enum Part { case byte(UInt8), one, name, path }
  private let parts: [Part]

  init(_ pattern: String) throws(CallFailure) {
    let bytes = Array(pattern.utf8)
    guard (1...1_024).contains(bytes.count) else { throw .invalid("selector.glob") }
    var parts: [Part] = []
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "*"):
        let isDouble = index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "*")
        parts.append(isDouble ? .path : .name)
        index += isDouble ? 1 : 0
      case UInt8(ascii: "?"): parts.append(.one)
      case let byte: parts.append(.byte(byte))
      }
      index += 1
    }
    self.parts = parts
  }

  /// Follows all ways through the pattern at once, a byte of the path at a time.
  func matches(_ path: String) -> Bool {
    var states = closure([0])
    for byte in path.utf8 {
      var next = Set<Int>()
      for state in states where state < parts.count {
        switch parts[state] {
        case .byte(let wanted): if byte == wanted { next.insert(state + 1) }
        // A character's later bytes belong to its first one.
        case .one: if byte != UInt8(ascii: "/") { next.insert(byte & 0xc0 == 0x80 ? state : state + 1) }
        case .name: if byte != UInt8(ascii: "/") { next.insert(state) }
        case .path: next.insert(state)
        }
      }
      for state in states where byte & 0xc0 == 0x80 && state > 0 {
        if case .one = parts[state - 1] { next.insert(state) }
      }
      states = closure(next)
      if states.isEmpty { return false }
    }
    return states.contains(parts.count)
  }

  /// A star may match nothing.
  private func closure(_ states: Set<Int>) -> Set<Int> {
    var all = states
    for state in states.sorted() {
      var state = state
      while state < parts.count {
        guard isStar(parts[state]) else { break }
        state += 1
        all.insert(state)
      }
    }
    return all
  }

  private func isStar(_ part: Part) -> Bool {
    switch part {
    case .name, .path: true
    case .byte, .one: false
    }
  }
}
