package import PhotoModel

/// The effect of an undo.
package struct UndoOutcome {
  /// The grant after the undo. Nil: the decision was about no single grant.
  package var grant: GrantView?
  package var receipt = Receipt()
  /// Restored albums of `library`, which album policies have to judge again.
  package var albums: Set<AlbumIdentifier> = []
  package var library: LibraryName?
  /// The library that the undo removed.
  package var removedLibrary: LibraryName?

  init(grant: GrantView? = nil, receipt: Receipt = Receipt()) { (self.grant, self.receipt) = (grant, receipt) }
  init(_ entered: DecisionNumber) { self.init(receipt: Receipt(decisions: [entered.value].compactMap { $0 })) }
}
