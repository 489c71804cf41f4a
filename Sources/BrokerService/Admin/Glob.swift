/// A path pattern: `*` within a name, `**` across folders (`**/` none at all included), `?` one character. Not a regular
/// expression: matching takes at most pattern times path steps.
struct Glob {
  /// `folders` stands before the `**` and the slash of `**/`, and may pass over both.
  private enum Part { case byte(UInt8), one, name, path, folders }
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
        let startsName = index == 0 || bytes[index - 1] == UInt8(ascii: "/")
        if isDouble, startsName, index + 2 < bytes.count, bytes[index + 2] == UInt8(ascii: "/") { parts.append(.folders) }
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
        case .folders: break
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
    var fresh = Array(states)
    while let state = fresh.popLast() {
      for next in passed(from: state) where all.insert(next).inserted { fresh.append(next) }
    }
    return all
  }

  /// Where a state leads without a byte.
  private func passed(from state: Int) -> [Int] {
    guard state < parts.count else { return [] }
    return switch parts[state] {
    case .name, .path: [state + 1]
    case .folders: [state + 1, state + 3]
    case .byte, .one: []
    }
  }
}
