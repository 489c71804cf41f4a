/// Suggestions for mistyped words.
package enum NearestWord {
  /// A question that suggests the nearest word; nil without a near one.
  package static func hint(for word: String, among known: [String]) -> String? {
    nearest(to: word, among: known).map { "Did you mean \($0)?" }
  }

  /// The known word with the fewest edits, if these are at most a third of its length. With the same
  /// number of edits, the first word wins.
  package static func nearest(to word: String, among known: [String]) -> String? {
    let typed = Array(word.lowercased().unicodeScalars.prefix(64))
    let ranked = known.map { (word: $0, distance: distance(typed, Array($0.lowercased().unicodeScalars))) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, best.word.unicodeScalars.count / 3) ? best.word : nil
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours between two words.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var before: [Int] = []
    var previous = Array(0...right.count)
    for (row, a) in left.enumerated() {
      var current = [row + 1]
      for (column, b) in right.enumerated() {
        var best = min(previous[column] + (a == b ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, a == right[column - 1], left[row - 1] == b { best = min(best, before[column - 1] + 1) }
        current.append(best)
      }
      (before, previous) = (previous, current)
    }
    return previous[right.count]
  }
}
