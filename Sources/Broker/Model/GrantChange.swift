package import Catalogue

/// What one decision changed of a grant.
package struct GrantChange: Sendable, Equatable {
  package var before: GrantRights
  package var after: GrantRights
  /// Assets that it selected, and assets that it took out of the selection; by number, as `Catalogue` encodes them.
  package var added: [SelectionChunk]
  package var removed: [SelectionChunk]
  /// The answers that the status came from; nil where that is the same one.
  package var agreements: Agreements?

  /// Before the decision and after it.
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

  /// Whether there is nothing that could be put back, as where only a token was replaced.
  package var isEmpty: Bool { before == after && added.isEmpty && removed.isEmpty }
}
