package import Catalogue
package import Macaroons
package import PhotoModel

/// One step of an app's change request, with the app's identifiers and placeholders of earlier
/// steps.
package enum ChangeStep: Sendable {
  /// Creates an asset from the next of the request's files.
  case createAsset(AssetCreation)
  case setFavorite([AssetTarget], Bool)
  case setCreationDate([AssetTarget], Timestamp)
  /// Nil removes the location.
  case setLocation([AssetTarget], GeoPoint?)
  case setCaption([AssetTarget], String)
  case delete([AssetTarget])
  case createAlbum(title: String, placeholder: String? = nil)
  case renameAlbum(AlbumTarget, title: String)
  case addToAlbum(AlbumTarget, [AssetTarget])
  case removeFromAlbum(AlbumTarget, [AssetTarget])
  /// Moves members before another one, in the given order; nil: to the end.
  case moveInAlbum(AlbumTarget, [AssetTarget], before: AssetTarget?)
  case deleteAlbum(AlbumTarget)

  /// Whether it changes the list of albums, a title or members.
  package var concernsAlbums: Bool {
    switch self {
    case .createAlbum, .renameAlbum, .addToAlbum, .removeFromAlbum, .moveInAlbum, .deleteAlbum: true
    case .createAsset, .setFavorite, .setCreationDate, .setLocation, .setCaption, .delete: false
    }
  }

  /// Whether it sets one of these facts of an existing asset.
  package func sets(_ facts: WithheldFacts) -> Bool {
    func isOfKnown(_ targets: [AssetTarget]) -> Bool {
      targets.contains { if case .identifier = $0.name { true } else { false } }
    }
    return switch self {
    case .setLocation(let targets, _): facts.contains(.location) && isOfKnown(targets)
    case .setCaption(let targets, _): facts.contains(.captions) && isOfKnown(targets)
    default: false
    }
  }

  var setsCaption: Bool {
    if case .setCaption = self { true } else { false }
  }

  package var deletesAssets: Bool {
    if case .delete = self { true } else { false }
  }

  /// Whether it creates an asset, which `addOnly` allows too.
  package var createsAsset: Bool {
    if case .createAsset = self { true } else { false }
  }
}

/// Properties of an asset that a step creates, besides its bytes.
package struct AssetCreation: Sendable {
  /// A name for later steps; nil: none.
  package var placeholder: String?
  /// A field that is nil here or below takes its value from the file.
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

/// The asset of a step, with the version that the app last saw, if given.
package struct AssetTarget: Sendable {
  package enum Name: Sendable {
    case identifier(AssetIdentifier)
    /// The result of an earlier step.
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

/// The album of a step, with the version that the app last saw, if given.
package struct AlbumTarget: Sendable {
  package enum Name: Sendable {
    case identifier(AlbumIdentifier)
    /// The result of an earlier step.
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

/// The result of a change request.
package struct ChangeOutcome: Sendable {
  /// The app's identifiers of created assets, in order.
  package var createdAssets: [AssetIdentifier] = []
  /// The app's identifiers of created albums, in order.
  package var createdAlbums: [AlbumIdentifier] = []
  /// The app's identifiers, by placeholder.
  package var placeholders: [String: String] = [:]
  /// New and renamed albums by the broker's own identifiers, which album policies have to judge.
  package var judgedAlbums: Set<AlbumIdentifier> = []
  /// Trashed assets whose files have yet to be moved.
  package var trashed: [AssetNumber] = []
}
