/// What one decision changed, in full, so that it can be undone.
package enum DecisionChange: Sendable, Equatable {
  case grant(GrantChange)
  /// To whom a library is offered, or who decides in it beside its owner.
  case library(before: LibraryRights, after: LibraryRights)
  /// A rule of the decision's library; nil: there is none of that name.
  case rule(before: RuleRecord?, after: RuleRecord?)
  /// Which assets of the decision's library apps may see.
  case marks(MarkChange)
  /// Whom root names as administrators.
  case administrators(before: Set<UInt32>, after: Set<UInt32>)
  /// An album of the decision's library.
  case album(AlbumChange)
  /// Edits of the decision's library that files contradict.
  case conflicts(ConflictChange)
  /// The decision's library was added.
  case addedLibrary
  /// The decision's app was registered.
  case addedApp
  /// A token of the decision's grant was given out.
  case token(Accessor)
}
