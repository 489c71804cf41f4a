package import PhotoModel

/// The rights that an undo would restore, without the assets, of which there may be many.
package enum UndoScope: Sendable, Equatable {
  case grant(before: AuthorizationStatus, after: AuthorizationStatus)
  case library(before: LibraryRights, after: LibraryRights)
  case rule(before: RuleRecord?, after: RuleRecord?)
  /// Marks and albums.
  case photos
  case administrators
  case addedLibrary
  case addedApp
  case token

  package init(_ change: DecisionChange) {
    self =
      switch change {
      case .grant(let change): .grant(before: change.before.status, after: change.after.status)
      case .library(let before, let after): .library(before: before, after: after)
      case .rule(let before, let after): .rule(before: before, after: after)
      case .marks, .album: .photos
      case .administrators: .administrators
      case .addedLibrary: .addedLibrary
      case .addedApp: .addedApp
      case .token: .token
      }
  }
}
