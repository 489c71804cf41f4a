package import PhotoModel

/// What taking a decision back came to.
package struct UndoOutcome {
  /// The grant as it is now. Nil: the decision was about no single grant.
  package var grant: GrantView?
  package var receipt = Receipt()
  /// Albums of `library` that are as they were before; policies have to say what they think of them.
  package var albums: Set<AlbumIdentifier> = []
  package var library: LibraryName?
  /// The library that is gone with it.
  package var removedLibrary: LibraryName?

  init(grant: GrantView? = nil, receipt: Receipt = Receipt()) { (self.grant, self.receipt) = (grant, receipt) }
  init(_ entered: DecisionNumber) { self.init(receipt: Receipt(decisions: [entered.value].compactMap { $0 })) }
}
