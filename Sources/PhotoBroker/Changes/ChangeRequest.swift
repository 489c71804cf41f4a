import BrokerInterface
public import Foundation

/// The steps of one change: all are made, in their order, or none.
///
/// What concerns assets takes up to 1,000 of them, and does nothing with none. Whether it is
/// allowed is the broker's to say.
public struct ChangeRequest: Sendable {
  private(set) var steps: [Library.Change] = []
  /// The bytes of what is created, in the order of its steps.
  private(set) var bytes: [AssetBytes] = []

  init() {}

  /// Whether all of it is creating assets, for which access that only adds is enough.
  var createsOnly: Bool { bytes.count == steps.count }

  /// Sees that the steps can be written as they are meant: what is no number would be written as
  /// none, and remove a place.
  ///
  /// - Throws: `invalidParameter`.
  func check() throws {
    for (index, step) in steps.enumerated() {
      for (name, degrees) in [("latitude", step.latitude), ("longitude", step.longitude)]
      where degrees?.isFinite == false {
        throw PhotoLibraryError(
          .invalidParameter(name: "changes[\(index)].\(name)"),
          "The \(name) of a place is no finite number; give it in degrees.")
      }
    }
  }

  /// A list of no assets is nothing to do, as in PhotoKit; the broker would take it for a mistake.
  mutating func leaveOutEmptySteps() { steps.removeAll { $0.assets?.isEmpty == true } }

  /// Creates an asset, at most 32 in one change, of at most 1 GiB together.
  /// ``ChangeResult/createdAssets`` has its identifier.
  public mutating func add(_ request: AssetCreationRequest) {
    steps.append(
      Library.Change(
        kind: "createAsset", favorite: request.isFavorite, creationDate: request.creationDate?.microseconds,
        latitude: request.location?.latitude, longitude: request.location?.longitude, text: request.caption,
        placeholder: request.placeholderForCreatedAsset.localIdentifier, filename: request.filename,
        descriptor: Int64(bytes.count)))
    bytes.append(request.bytes)
  }

  /// Creates or changes an album.
  public mutating func add(_ request: AssetCollectionChangeRequest) { steps += request.steps }

  /// Marks assets as favourites, or not.
  public mutating func setFavorite(_ isFavorite: Bool, for assets: [Asset], ifUnchanged: Bool = false) {
    var step = Self.step("setFavorite", assets, ifUnchanged)
    step.favorite = isFavorite
    steps.append(step)
  }

  /// Sets when assets were taken.
  public mutating func setCreationDate(_ date: Date, for assets: [Asset], ifUnchanged: Bool = false) {
    var step = Self.step("setCreationDate", assets, ifUnchanged)
    step.creationDate = date.microseconds
    steps.append(step)
  }

  /// Sets where assets were taken; nil removes the place.
  public mutating func setLocation(_ location: Location?, for assets: [Asset], ifUnchanged: Bool = false) {
    var step = Self.step("setLocation", assets, ifUnchanged)
    (step.latitude, step.longitude) = (location?.latitude, location?.longitude)
    steps.append(step)
  }

  /// Sets the text of assets, at most 1,024 bytes; nil takes it away.
  public mutating func setCaption(_ caption: String?, for assets: [Asset], ifUnchanged: Bool = false) {
    var step = Self.step("setCaption", assets, ifUnchanged)
    step.text = caption ?? ""
    steps.append(step)
  }

  /// Moves assets to the owner's bin.
  ///
  /// - Parameter ifUnchanged: true refuses the whole change where one of them changed since it was
  ///   fetched; so everywhere here.
  public mutating func deleteAssets(_ assets: [Asset], ifUnchanged: Bool = false) {
    steps.append(Self.step("delete", assets, ifUnchanged))
  }

  /// Makes an album; ``PhotoLibrary/performChanges(_:)`` answers its identifier.
  public mutating func createAssetCollection(withTitle title: String) {
    steps.append(Library.Change(kind: "createAlbum", text: title))
  }

  /// Gives an album another title.
  public mutating func setTitle(_ title: String, of collection: AssetCollection, ifUnchanged: Bool = false) {
    let version = ifUnchanged ? collection.version : nil
    steps.append(
      Library.Change(kind: "renameAlbum", album: collection.localIdentifier, albumVersion: version, text: title))
  }

  /// Puts assets into an album.
  public mutating func addAssets(_ assets: [any PhotoObject], to collectionIdentifier: String) {
    steps.append(Library.Change(kind: "addToAlbum", assets: assets.map(\.localIdentifier), album: collectionIdentifier))
  }

  /// Takes assets out of an album; they stay in the library.
  public mutating func removeAssets(_ assets: [Asset], from collectionIdentifier: String) {
    steps.append(
      Library.Change(kind: "removeFromAlbum", assets: assets.map(\.localIdentifier), album: collectionIdentifier))
  }

  /// Puts members of an album before another one, in the order in which they are named; nil: at the end.
  public mutating func moveAssets(_ assets: [Asset], in collectionIdentifier: String, before member: Asset?) {
    steps.append(
      Library.Change(
        kind: "moveInAlbum", assets: assets.map(\.localIdentifier), album: collectionIdentifier,
        before: member?.localIdentifier))
  }

  /// Removes an album; its assets stay in the library.
  public mutating func deleteAssetCollection(_ collection: AssetCollection, ifUnchanged: Bool = false) {
    let version = ifUnchanged ? collection.version : nil
    steps.append(Library.Change(kind: "deleteAlbum", album: collection.localIdentifier, albumVersion: version))
  }

  private static func step(_ kind: String, _ assets: [Asset], _ ifUnchanged: Bool) -> Library.Change {
    Library.Change(
      kind: kind, assets: assets.map(\.localIdentifier), versions: ifUnchanged ? assets.map(\.version) : nil)
  }
}
