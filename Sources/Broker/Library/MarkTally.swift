import Catalogue
import PhotoModel

/// Collects the assets of each change of a mark.
package struct MarkTally {
  private var hidden: [AssetNumber] = []
  private var shown: [AssetNumber] = []
  private var neverShared: [AssetNumber] = []
  private var shareable: [AssetNumber] = []
  private var favourites: [AssetNumber] = []
  private var others: [AssetNumber] = []

  mutating func note(_ number: AssetNumber, from before: AssetFlags, to after: AssetFlags) {
    if before.contains(.hidden) != after.contains(.hidden) {
      if after.contains(.hidden) { hidden.append(number) } else { shown.append(number) }
    }
    if before.contains(.neverShare) != after.contains(.neverShare) {
      if after.contains(.neverShare) { neverShared.append(number) } else { shareable.append(number) }
    }
    if before.contains(.favourite) != after.contains(.favourite) {
      if after.contains(.favourite) { favourites.append(number) } else { others.append(number) }
    }
  }

  var isEmpty: Bool { [hidden, shown, neverShared, shareable, favourites, others].allSatisfy(\.isEmpty) }

  var change: MarkChange {
    var change = MarkChange()
    change.hidden = AssetNumbers(hidden).encoded
    change.shown = AssetNumbers(shown).encoded
    change.neverShared = AssetNumbers(neverShared).encoded
    change.shareable = AssetNumbers(shareable).encoded
    change.favourites = AssetNumbers(favourites).encoded
    change.others = AssetNumbers(others).encoded
    return change
  }

  /// For the record of decisions: numbers without names.
  var before: String {
    Self.words([
      (hidden, "shown"), (shown, "hidden"), (neverShared, "shareable"), (shareable, "never shared"),
      (favourites, "no favourites"),
      (others, "favourites"),
    ])
  }
  var after: String {
    Self.words([
      (hidden, "hidden"), (shown, "shown"), (neverShared, "never shared"), (shareable, "shareable"),
      (favourites, "favourites"),
      (others, "no favourites"),
    ])
  }

  private static func words(_ counts: [(numbers: [AssetNumber], word: String)]) -> String {
    counts.filter { !$0.numbers.isEmpty }.map { "\($0.numbers.count) \($0.word)" }.joined(separator: ", ")
  }
}
