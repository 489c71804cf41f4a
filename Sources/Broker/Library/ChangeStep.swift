package import Catalogue
package import PhotoModel

/// One step of an app's change request, in the app's identifiers.
package enum ChangeStep: Sendable {
  case setFavorite([AssetTarget], Bool)
  case setCreationDate([AssetTarget], Timestamp)
  /// Nil: no place.
  case setLocation([AssetTarget], GeoPoint?)
  case setCaption([AssetTarget], String)
  case delete([AssetTarget])
  case createAlbum(title: String)
  case renameAlbum(AlbumIdentifier, title: String)
  case addToAlbum(AlbumIdentifier, [AssetTarget])
  case removeFromAlbum(AlbumIdentifier, [AssetTarget])
  /// Members are put before another one, in their order; nil: at the end.
  case moveInAlbum(AlbumIdentifier, [AssetTarget], before: AssetTarget?)
  case deleteAlbum(AlbumIdentifier)

  /// Whether it changes which albums there are, or what one is called.
  package var concernsAlbums: Bool {
    switch self {
    case .createAlbum, .renameAlbum, .addToAlbum, .removeFromAlbum, .moveInAlbum, .deleteAlbum: true
    case .setFavorite, .setCreationDate, .setLocation, .setCaption, .delete: false
    }
  }
}

/// An asset that a step is about, and the version that the app last saw, if it said so.
package struct AssetTarget: Sendable {
  package var identifier: AssetIdentifier
  package var version: UInt64?

  package init(identifier: AssetIdentifier, version: UInt64? = nil) {
    self.identifier = identifier
    self.version = version
  }
}

/// What a change request led to.
package struct ChangeOutcome: Sendable {
  /// The app's identifiers of albums that were created, in order.
  package var createdAlbums: [AlbumIdentifier] = []
  /// Albums that came or have another title, by the broker's own identifiers: policies have to say what they think of them.
  package var judgedAlbums: Set<AlbumIdentifier> = []
  /// Assets that went into the trash: their files are to be moved there.
  package var trashed: [AssetNumber] = []
}
