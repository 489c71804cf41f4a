/// A path pattern: `*` within a name, `**` across folders, `**/` where a name begins any folders or none, `?` one
/// character. Not a regular expression: matching takes at most pattern times path steps.
struct Glob {
  private enum Part {
    case byte(UInt8)
    /// One character, of one to four bytes.
    case one
    /// Nothing or more, within a name.
    case name
    /// Nothing or more, across folders.
    case path
    /// Before any folders, or none.
    case folders
    /// Inside folders: ends behind a slash.
    case inFolders
  }

  static let limitBytes = 1_024
  private let parts: [Part]

  /// - Throws: where the pattern is empty or too long.
  init(_ pattern: String) throws(CallFailure) {
    let bytes = Array(pattern.utf8)
    guard (1...Self.limitBytes).contains(bytes.count) else { throw .invalid("selector.glob") }
    var parts: [Part] = []
    var rest = bytes[...]
    // Within a name, `**` does not make the slash behind it optional: `a**/b` is not `ab`.
    var startsName = true
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "*") where rest.first == UInt8(ascii: "*"):
        rest = rest.dropFirst()
        if startsName, rest.first == UInt8(ascii: "/") {
          rest = rest.dropFirst()
          parts += [.folders, .inFolders]
          continue
        }
        parts.append(.path)
      case UInt8(ascii: "*"): parts.append(.name)
      case UInt8(ascii: "?"): parts.append(.one)
      default: parts.append(.byte(byte))
      }
      startsName = byte == UInt8(ascii: "/")
    }
    self.parts = parts
  }

  /// Follows all ways through the pattern at once, a character of the path at a time.
  func matches(_ path: String) -> Bool {
    var states = closure([0])
    for scalar in path.unicodeScalars {
      if states.isEmpty { return false }
      let bytes = Array(String(scalar).utf8)
      var next = Set<Int>()
      for state in states where state < parts.count { step(from: state, over: bytes, into: &next) }
      states = closure(next)
    }
    return states.contains(parts.count)
  }

  private func step(from state: Int, over character: [UInt8], into next: inout Set<Int>) {
    let isSlash = character == [UInt8(ascii: "/")]
    switch parts[state] {
    case .byte:
      // A character beyond ASCII stands as several bytes in the pattern.
      let end = state + character.count
      guard end <= parts.count else { return }
      for (offset, byte) in character.enumerated() {
        guard case .byte(byte) = parts[state + offset] else { return }
      }
      next.insert(end)
    case .one: if !isSlash { next.insert(state + 1) }
    case .name: if !isSlash { next.insert(state) }
    case .path: next.insert(state)
    case .folders: break
    case .inFolders:
      next.insert(state)
      if isSlash { next.insert(state + 1) }
    }
  }

  /// What is reached without a character: a star may match nothing, and folders may be none.
  private func closure(_ states: Set<Int>) -> Set<Int> {
    var all = states
    var open = Array(states)
    while let state = open.popLast(), true {
      guard state < parts.count else { continue }
      let reached: [Int] =
        switch parts[state] {
        case .name, .path: [state + 1]
        case .folders: [state + 1, state + 2]
        case .byte, .one, .inFolders: []
        }
      for other in reached where all.insert(other).inserted { open.append(other) }
    }
    return all
  }
}
