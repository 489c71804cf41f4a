package import Catalogue

/// A planned edit of one grant's selection, not in force yet.
package struct SelectionEdit {
  package let added: Selection
  package let removed: Selection
  /// The changes to commit.
  package let changes: [StoreChange]
  let records: [ChangeRecord]
}
