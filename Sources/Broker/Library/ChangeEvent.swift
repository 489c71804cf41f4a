package import Catalogue
package import PhotoModel

/// What happened in a view, in the broker's own terms.
package struct ChangeEvent {
  /// Sealed; hand it back to be told what came later.
  package var token: String
  package var inserted: [AssetRow] = []
  package var changed: [AssetRow] = []
  /// The app's identifiers.
  package var removed: [AssetIdentifier] = []
  package var albumsChanged = false
  package var status: AuthorizationStatus
  /// Too much happened to list, or another kind of view began: fetch everything again.
  package var resynchronize = false

  package var isEmpty: Bool {
    inserted.isEmpty && changed.isEmpty && removed.isEmpty && !albumsChanged && !resynchronize
  }
}
