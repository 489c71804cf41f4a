package import Catalogue
package import PhotoModel

/// The changes in a view, in the broker's own identifiers.
package struct ChangeEvent {
  /// A sealed token; later changes are listed from there.
  package var token: String
  package var inserted: [AssetRow] = []
  package var changed: [AssetRow] = []
  /// The app's identifiers.
  package var removed: [AssetIdentifier] = []
  package var albumsChanged = false
  /// The changed albums, in the app's identifiers. Nil: unknown.
  package var albums: [AlbumIdentifier]?
  package var status: AuthorizationStatus
  /// Whether the app must fetch everything again, because there are too many changes or a new view
  /// began.
  package var resynchronize = false
  /// Whether the app has no access now (R159). The event has nothing else.
  package var isAway = false

  package var isEmpty: Bool {
    inserted.isEmpty && changed.isEmpty && removed.isEmpty && !albumsChanged && !resynchronize
  }
}
