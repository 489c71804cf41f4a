import BrokerInterface

/// What happened in the app's view of the library.
public struct LibraryChange: Hashable, Sendable {
  /// Keep it, and hand it to ``PhotoLibrary/changes(since:)`` to go on from here, even after a restart.
  public let changeToken: String
  /// Assets that are new in the view.
  public let insertedObjects: [Asset]
  /// Assets whose bytes or metadata changed.
  public let changedObjects: [Asset]
  /// Identifiers of assets that left the view.
  public let removedIdentifiers: [String]
  /// Whether albums changed: fetch them again.
  public let albumsChanged: Bool
  /// What the app may do now.
  public let status: AuthorizationStatus
  /// Whether too much happened to list: fetch everything again. The lists are empty then.
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
    status = AuthorizationStatus(word: event.status)
    mustResynchronize = resynchronizing
  }

  /// Whether it says anything to one who knows the view as it was with `status`.
  func isNews(after status: AuthorizationStatus?) -> Bool {
    !insertedObjects.isEmpty || !changedObjects.isEmpty || !removedIdentifiers.isEmpty || albumsChanged
      || mustResynchronize || status != self.status
  }
}
