package import Catalogue

/// Changes of the marks of a missing asset (``AwayAsset``); other marks stay.
package struct MarksOfAway: Sendable, Equatable {
  package private(set) var given: AssetFlags
  package private(set) var taken: AssetFlags
  package private(set) var edited: EditedFields

  package init(given: AssetFlags = [], taken: AssetFlags = [], edited: EditedFields = []) {
    self.given = given
    self.taken = taken
    self.edited = edited
  }

  /// The effect of a change of flags on each of the owner's marks.
  init(edited: EditedFields, _ change: (inout AssetFlags) -> Void) {
    var (none, all) = (AssetFlags(), AssetFlags([.favourite, .hidden, .neverShare]))
    change(&none)
    change(&all)
    given = none
    taken = AssetFlags([.favourite, .hidden, .neverShare]).subtracting(all)
    self.edited = edited
  }

  var isEmpty: Bool { given.isEmpty && taken.isEmpty }

  mutating func add(_ later: Self) {
    given = given.subtracting(later.taken).union(later.given)
    taken = taken.subtracting(later.given).union(later.taken)
    edited.formUnion(later.edited)
  }

  package func apply(to record: inout AssetRecord) {
    record.row.flags = record.row.flags.subtracting(taken).union(given)
    record.edited.formUnion(edited)
  }
}
