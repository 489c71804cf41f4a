import Catalogue
import PhotoModel

/// Collects the assets of each change of a mark.
package struct MarkTally {
  private typealias Mark = (flag: AssetFlags, set: String, cleared: String)
  private static let marks: [Mark] = [
    (.hidden, "hidden", "shown"), (.neverShare, "never shared", "shareable"),
    (.favourite, "favourites", "no favourites"),
  ]
  /// The assets that got and lost each of the marks.
  private var assets = [(set: [AssetNumber], cleared: [AssetNumber])](repeating: ([], []), count: Self.marks.count)

  mutating func note(_ number: AssetNumber, from before: AssetFlags, to after: AssetFlags) {
    for (index, mark) in Self.marks.enumerated() where before.contains(mark.flag) != after.contains(mark.flag) {
      if after.contains(mark.flag) { assets[index].set.append(number) } else { assets[index].cleared.append(number) }
    }
  }

  var isEmpty: Bool { assets.allSatisfy { $0.set.isEmpty && $0.cleared.isEmpty } }

  var change: DecisionChange {
    let changes = zip(Self.marks, assets).map { mark, assets in
      AssetChange(
        mark: mark.flag, added: AssetNumbers(assets.set).encoded, removed: AssetNumbers(assets.cleared).encoded)
    }
    return DecisionChange(.marks, changes)
  }

  /// For the record of decisions: numbers without names.
  var before: String { words(set: \.cleared, cleared: \.set) }
  var after: String { words(set: \.set, cleared: \.cleared) }

  private func words(set: KeyPath<Mark, String>, cleared: KeyPath<Mark, String>) -> String {
    var words: [String] = []
    for (mark, assets) in zip(Self.marks, assets) {
      if !assets.set.isEmpty { words.append("\(assets.set.count) \(mark[keyPath: set])") }
      if !assets.cleared.isEmpty { words.append("\(assets.cleared.count) \(mark[keyPath: cleared])") }
    }
    return words.joined(separator: ", ")
  }
}
