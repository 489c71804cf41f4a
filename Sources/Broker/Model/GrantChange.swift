package import Catalogue

/// One decision's change of a grant.
package struct GrantChange: Sendable, Equatable {
  package var before: GrantRights
  package var after: GrantRights
  /// Assets that were selected and deselected, by number, as `Catalogue` encodes them.
  package var added: [SelectionChunk]
  package var removed: [SelectionChunk]
  /// The answers behind the status; nil if they are the same.
  package var agreements: Agreements?

  package struct Agreements: Sendable, Equatable {
    package var before: Agreement?
    package var after: Agreement?

    package init(before: Agreement?, after: Agreement?) {
      self.before = before
      self.after = after
    }
  }

  package init(
    before: GrantRights, after: GrantRights, added: [SelectionChunk] = [], removed: [SelectionChunk] = [],
    agreements: Agreements? = nil
  ) {
    self.before = before
    self.after = after
    self.added = added
    self.removed = removed
    self.agreements = agreements
  }

  /// Whether there is nothing to undo, as after the replacement of a token.
  package var isEmpty: Bool { before == after && added.isEmpty && removed.isEmpty }
}
