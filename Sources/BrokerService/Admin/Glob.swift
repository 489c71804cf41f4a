import Broker
import Limits

/// A path pattern: `*` matches within a name, `**` across folders, `**/` at the start of a name any
/// folders or none, `?` one character.
///
/// It is matched without backtracking, as a nondeterministic automaton with one bit for each part.
/// A path takes at most its characters times `words` steps, whatever the pattern. Characters are
/// grapheme clusters, so an accented letter matches in each of its Unicode forms, such as the
/// decomposed one of macOS.
struct Glob {
  private enum Part: Equatable {
    case character(Character)
    /// One character other than a slash.
    case one
    /// Any characters within a name, or none.
    case name
    /// Any characters across folders, or none.
    case path
    /// Any folders with the slash after them, or none.
    case folders

    var isWildcard: Bool {
      if case .character = self { return false }
      return true
    }
  }

  /// Number of words that hold a bit for each part and one for the end.
  let words: Int
  /// The parts that each literal character matches.
  private var named: [Character: [UInt64]] = [:]
  private var ones: [UInt64]
  private var names: [UInt64]
  private var paths: [UInt64]
  private var folders: [UInt64]
  private let end: Int

  /// - Throws: `InvalidParameter` for an empty or too long pattern, `refused` for too many
  ///   wildcards.
  init(_ pattern: String) throws(CallFailure) {
    guard (1...BrokerLimits.globBytes).contains(pattern.utf8.count) else {
      throw .invalid("selector.glob", "a pattern has 1 to \(BrokerLimits.globBytes) bytes")
    }
    let parts = Self.parts(of: pattern)
    guard parts.lazy.filter(\.isWildcard).count <= BrokerLimits.globWildcards else {
      throw .refused(
        "A pattern (glob) has at most \(BrokerLimits.globWildcards) wildcards (*, **, ?); write a shorter one, or "
          + "several.")
    }
    end = parts.count
    words = end / UInt64.bitWidth + 1
    let none = [UInt64](repeating: 0, count: words)
    (ones, names, paths, folders) = (none, none, none, none)
    for (place, part) in parts.enumerated() {
      let (word, bit) = Self.bit(place)
      switch part {
      case .character(let character): named[character, default: none][word] |= bit
      case .one: ones[word] |= bit
      case .name: names[word] |= bit
      case .path: paths[word] |= bit
      case .folders: folders[word] |= bit
      }
    }
  }

  private static func parts(of pattern: String) -> [Part] {
    var parts: [Part] = []
    var rest = Substring(pattern)
    // Inside a name `**` does not make the following slash optional: `a**/b` does not match `ab`.
    var startsName = true
    while let character = rest.popFirst() {
      switch character {
      case "*" where rest.first == "*":
        rest.removeFirst()
        if startsName, rest.first == "/" {
          rest.removeFirst()
          // `**/**/` matches the same as `**/`.
          if parts.last != .folders { parts.append(.folders) }
          continue
        }
        // Earlier wildcards are redundant: this one matches the same and more.
        while let last = parts.last, [.name, .path, .folders].contains(last) { parts.removeLast() }
        parts.append(.path)
      case "*": if parts.last != .name, parts.last != .path { parts.append(.name) }
      case "?": parts.append(.one)
      default: parts.append(.character(character))
      }
      startsName = character == "/"
    }
    return parts
  }

  private static func bit(_ place: Int) -> (word: Int, bit: UInt64) {
    let (word, place) = place.quotientAndRemainder(dividingBy: UInt64.bitWidth)
    return (word, 1 << UInt64(place))
  }

  func matches(_ path: String) -> Bool {
    var steps = 0
    return matches(path, steps: &steps)
  }

  /// - Parameter steps: Is increased by the number of steps taken.
  func matches(_ path: String, steps: inout Int) -> Bool {
    var reached = [UInt64](repeating: 0, count: words)
    advance(&reached, over: nil, &steps)
    for character in path {
      guard advance(&reached, over: character, &steps) else { return false }
    }
    let (word, bit) = Self.bit(end)
    return reached[word] & bit != 0
  }

  /// Computes the parts reached after a character, or at the beginning if there is none.
  ///
  /// No part that may match nothing follows another one of its kind, and none but `folders` comes
  /// before them. So two shifts reach all parts that need no character.
  /// - Returns: False if no part is reached.
  @discardableResult
  private func advance(_ reached: inout [UInt64], over character: Character?, _ steps: inout Int) -> Bool {
    let leaving = character.flatMap { named[$0] }
    let isSlash = character == "/"
    var carries: (entered: UInt64, folders: UInt64, stars: UInt64) = (character == nil ? 1 : 0, 0, 0)
    var isAnyReached = false
    for word in 0..<words {
      steps += 1
      let left = reached[word] & ((leaving?[word] ?? 0) | (isSlash ? folders[word] : ones[word]))
      let stayed = reached[word] & (paths[word] | folders[word] | (isSlash ? 0 : names[word]))
      let entered = left << 1 | carries.entered
      carries.entered = left >> 63
      // `folders` may match nothing. If it matches characters, a slash must end it.
      let skipped = entered & folders[word]
      let standing = entered | stayed | skipped << 1 | carries.folders
      carries.folders = skipped >> 63
      let stars = standing & (names[word] | paths[word])
      reached[word] = standing | stars << 1 | carries.stars
      carries.stars = stars >> 63
      isAnyReached = isAnyReached || reached[word] != 0
    }
    return isAnyReached
  }
}
