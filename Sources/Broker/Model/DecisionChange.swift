/// The change of one decision, in full, so that it can be undone.
package enum DecisionChange: Sendable, Equatable {
  case grant(GrantChange)
  /// Offers, co-owners and other rights of a library as a whole.
  case library(before: LibraryRights, after: LibraryRights)
  /// A rule of the decision's library; nil: none of that name.
  case rule(before: RuleRecord?, after: RuleRecord?)
  /// Marks of assets of the decision's library.
  case marks(MarkChange)
  /// The administrators whom root names.
  case administrators(before: Set<UInt32>, after: Set<UInt32>)
  /// An album of the decision's library.
  case album(AlbumChange)
  /// The decision's library was added.
  case addedLibrary
  /// The decision's app was registered.
  case addedApp
  /// A token of the decision's grant was issued.
  case token(Accessor)
}
