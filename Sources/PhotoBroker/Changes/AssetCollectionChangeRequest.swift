import BrokerInterface

/// What a change makes of an album. PhotoKit's `PHAssetCollectionChangeRequest`.
///
/// Its steps are made in their order, where it is added to the change.
public struct AssetCollectionChangeRequest: Sendable {
  /// Stands for the album that is created, in the request that creates it; nil where it is there already.
  public let placeholderForCreatedAssetCollection: ObjectPlaceholder?
  private let collection: String
  private let version: String?
  private(set) var steps: [Library.Change]

  /// Changes an album that is there.
  ///
  /// - Parameter ifUnchanged: true refuses the whole change where it changed since it was fetched.
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

  /// Creates an album. ``ChangeResult/localIdentifier(of:)`` answers its identifier.
  ///
  /// - Parameter title: at most 1,024 bytes.
  public static func creationRequestForAssetCollection(withTitle title: String) -> Self { Self(creating: title) }

  /// Gives the album another title.
  public mutating func setTitle(_ title: String) {
    steps.append(Library.Change(kind: "renameAlbum", album: collection, albumVersion: version, text: title))
  }

  /// Puts assets at the album's end, those that are not in it yet.
  public mutating func addAssets(_ assets: [any PhotoObject]) { append("addToAlbum", assets) }

  /// Takes assets out of the album; they stay in the library.
  public mutating func removeAssets(_ assets: [any PhotoObject]) { append("removeFromAlbum", assets) }

  /// Puts members before another one, in the order in which they are named; nil: at the end.
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
