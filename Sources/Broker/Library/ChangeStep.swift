package import Catalogue
package import PhotoModel

/// One step of an app's change request, in the app's identifiers and in the placeholders of steps before it.
package enum ChangeStep: Sendable {
  /// Of what was handed over with the request the next one becomes an asset.
  case createAsset(AssetCreation)
  case setFavorite([AssetTarget], Bool)
  case setCreationDate([AssetTarget], Timestamp)
  /// Nil: no place.
  case setLocation([AssetTarget], GeoPoint?)
  case setCaption([AssetTarget], String)
  case delete([AssetTarget])
  case createAlbum(title: String, placeholder: String? = nil)
  case renameAlbum(AlbumTarget, title: String)
  case addToAlbum(AlbumTarget, [AssetTarget])
  case removeFromAlbum(AlbumTarget, [AssetTarget])
  /// Members are put before another one, in their order; nil: at the end.
  case moveInAlbum(AlbumTarget, [AssetTarget], before: AssetTarget?)
  case deleteAlbum(AlbumTarget)

  /// Whether it changes which albums there are, or what one is called.
  package var concernsAlbums: Bool {
    switch self {
    case .createAlbum, .renameAlbum, .addToAlbum, .removeFromAlbum, .moveInAlbum, .deleteAlbum: true
    case .createAsset, .setFavorite, .setCreationDate, .setLocation, .setCaption, .delete: false
    }
  }

  var setsCaption: Bool {
    if case .setCaption = self { true } else { false }
  }

  /// Whether it puts assets into the trash.
  var deletesAssets: Bool {
    if case .delete = self { true } else { false }
  }

  /// Whether it makes an asset: all that a right to add allows.
  package var createsAsset: Bool {
    if case .createAsset = self { true } else { false }
  }
}

/// An asset that a step makes, with what is said of it beside its bytes.
package struct AssetCreation: Sendable {
  /// What later steps call it; nil: none of them does.
  package var placeholder: String?
  /// Nil: as its file says.
  package var favourite: Bool?
  package var creationDate: Timestamp?
  package var location: GeoPoint?
  package var caption: String?

  package init(
    placeholder: String? = nil, favourite: Bool? = nil, creationDate: Timestamp? = nil, location: GeoPoint? = nil,
    caption: String? = nil
  ) {
    self.placeholder = placeholder
    self.favourite = favourite
    self.creationDate = creationDate
    self.location = location
    self.caption = caption
  }
}

/// An asset that a step is about, and the version that the app last saw, if it said so.
package struct AssetTarget: Sendable {
  package enum Name: Sendable {
    case identifier(AssetIdentifier)
    /// What a step before made.
    case placeholder(String)
  }

  package var name: Name
  package var version: UInt64?

  package init(identifier: AssetIdentifier, version: UInt64? = nil) {
    name = .identifier(identifier)
    self.version = version
  }

  package init(placeholder: String) { name = .placeholder(placeholder) }
}

/// An album that a step is about, and the version that the app last saw, if it said so.
package struct AlbumTarget: Sendable {
  package enum Name: Sendable {
    case identifier(AlbumIdentifier)
    /// What a step before made.
    case placeholder(String)
  }

  package var name: Name
  package var version: UInt64?

  package init(_ identifier: AlbumIdentifier, version: UInt64? = nil) {
    name = .identifier(identifier)
    self.version = version
  }

  package init(placeholder: String) { name = .placeholder(placeholder) }
}

/// What a change request led to.
package struct ChangeOutcome: Sendable {
  /// The app's identifiers of assets that were created, in order.
  package var createdAssets: [AssetIdentifier] = []
  /// The app's identifiers of albums that were created, in order.
  package var createdAlbums: [AlbumIdentifier] = []
  /// What placeholders stand for, in the app's identifiers.
  package var placeholders: [String: String] = [:]
  /// Albums that came or have another title, by the broker's own identifiers: policies have to say
  /// what they think of them.
  package var judgedAlbums: Set<AlbumIdentifier> = []
  /// Assets that went into the trash: their files are to be moved there.
  package var trashed: [AssetNumber] = []
}
