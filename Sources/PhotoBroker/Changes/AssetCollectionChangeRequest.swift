import BrokerInterface

/// Changes of one album, or a new one. PhotoKit's `PHAssetCollectionChangeRequest`.
///
/// The change makes these steps in their order, at the position at which this request is added.
public struct AssetCollectionChangeRequest: Sendable {
  /// Placeholder of the new album, for other steps of the same change; nil for an existing album.
  public let placeholderForCreatedAssetCollection: ObjectPlaceholder?
  private let collection: String
  private let version: String?
  private(set) var steps: [Library.Change]

  /// Creates a request that changes an existing album.
  ///
  /// - Parameter ifUnchanged: true refuses the whole change if the album changed since it was
  ///   fetched.
  public init(for collection: AssetCollection, ifUnchanged: Bool = false) {
    placeholderForCreatedAssetCollection = nil
    self.collection = collection.localIdentifier
    version = ifUnchanged ? collection.version : nil
    steps = []
  }

  private init(creating title: String) {
    let placeholder = ObjectPlaceholder()
    placeholderForCreatedAssetCollection = placeholder
    collection = placeholder.localIdentifier
    version = nil
    steps = [Library.Change(kind: "createAlbum", text: title, placeholder: collection)]
  }

  /// Creates a request for a new album. ``ChangeResult/localIdentifier(of:)`` returns the album's
  /// identifier.
  ///
  /// - Parameter title: at most 1,024 bytes.
  public static func creationRequestForAssetCollection(withTitle title: String) -> Self { Self(creating: title) }

  /// Changes the album's title.
  public mutating func setTitle(_ title: String) {
    steps.append(Library.Change(kind: "renameAlbum", album: collection, albumVersion: version, text: title))
  }

  /// Appends assets to the album, without those that it already contains.
  public mutating func addAssets(_ assets: [any PhotoObject]) { append("addToAlbum", assets) }

  /// Removes assets from the album. They stay in the library.
  public mutating func removeAssets(_ assets: [any PhotoObject]) { append("removeFromAlbum", assets) }

  /// Moves members before another member, in the given order; nil moves them to the end.
  public mutating func moveAssets(_ assets: [any PhotoObject], before member: (any PhotoObject)?) {
    append("moveInAlbum", assets, before: member)
  }

  private mutating func append(_ kind: String, _ assets: [any PhotoObject], before member: (any PhotoObject)? = nil) {
    steps.append(
      Library.Change(
        kind: kind, assets: assets.map(\.localIdentifier), album: collection, albumVersion: version,
        before: member?.localIdentifier))
  }
}
