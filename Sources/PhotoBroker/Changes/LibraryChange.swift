import BrokerInterface

/// A change of the app's view of the library.
public struct LibraryChange: Hashable, Sendable {
  /// The position after this change, valid across restarts. ``PhotoLibrary/changes(since:)``
  /// continues from it.
  public let changeToken: String
  /// Assets that entered the view.
  public let insertedObjects: [Asset]
  /// Assets whose bytes or metadata changed.
  public let changedObjects: [Asset]
  /// Identifiers of assets that left the view.
  public let removedIdentifiers: [String]
  /// Whether albums changed and must be fetched again.
  public let albumsChanged: Bool
  /// The identifiers of the albums that changed, appeared or disappeared. Nil: not known.
  public let changedAlbumIdentifiers: [String]?
  /// Whether the app has access. Without access a change lists nothing; the next one comes when
  /// access is back.
  public let hasAccess: Bool
  /// The app's status now.
  public let status: AuthorizationStatus
  /// Whether the changes were too many to list. The lists are then empty, and the app must fetch
  /// everything again.
  public let mustResynchronize: Bool

  init(_ event: Library.ChangeEvent) {
    self.init(event, resynchronizing: event.resynchronize)
  }

  init(_ event: Library.ChangeEvent, resynchronizing: Bool) {
    changeToken = event.changeToken
    insertedObjects = resynchronizing ? [] : event.inserted.map(Asset.init)
    changedObjects = resynchronizing ? [] : event.changed.map(Asset.init)
    removedIdentifiers = resynchronizing ? [] : event.removed
    albumsChanged = event.albumsChanged || resynchronizing
    changedAlbumIdentifiers = resynchronizing ? nil : event.albums
    hasAccess = !(event.away ?? false)
    status = AuthorizationStatus(word: event.status)
    mustResynchronize = resynchronizing
  }

  func isNews(after status: AuthorizationStatus?) -> Bool {
    !insertedObjects.isEmpty || !changedObjects.isEmpty || !removedIdentifiers.isEmpty || albumsChanged
      || mustResynchronize || status != self.status
  }
}
