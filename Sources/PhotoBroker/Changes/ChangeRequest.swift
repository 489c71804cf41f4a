import BrokerInterface
public import Foundation

/// The steps of one change. The broker makes all of them in order, or none.
///
/// A step takes up to 1,000 assets. A step without assets is left out. The broker decides whether
/// the change is allowed.
public struct ChangeRequest: Sendable {
  private(set) var steps: [Library.Change] = []
  private(set) var bytes: [AssetBytes] = []

  init() {}

  /// Whether every step creates an asset, for which `addOnly` access is enough.
  var createsOnly: Bool { bytes.count == steps.count }

  /// Whether a person may be asked.
  var deletesAssets: Bool { steps.contains { $0.kind == "delete" } }

  /// Checks coordinates. A NaN or an infinity has no JSON form: it would be sent as null, which
  /// removes the place.
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

  /// Drops steps without assets, as PhotoKit does. The broker refuses them.
  mutating func leaveOutEmptySteps() { steps.removeAll { $0.assets?.isEmpty == true } }

  /// Creates an asset. One change creates at most 32, of at most 1 GiB together.
  /// ``ChangeResult/createdAssets`` holds the identifiers.
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

  /// Sets or clears the favourite mark of assets.
  public mutating func setFavorite(_ isFavorite: Bool, for assets: [Asset], ifUnchanged: Bool = false) {
    var step = Self.step("setFavorite", assets, ifUnchanged)
    step.favorite = isFavorite
    steps.append(step)
  }

  /// Sets the assets' time of capture.
  public mutating func setCreationDate(_ date: Date, for assets: [Asset], ifUnchanged: Bool = false) {
    var step = Self.step("setCreationDate", assets, ifUnchanged)
    step.creationDate = date.microseconds
    steps.append(step)
  }

  /// Sets the assets' place of capture; nil removes it.
  public mutating func setLocation(_ location: Location?, for assets: [Asset], ifUnchanged: Bool = false) {
    var step = Self.step("setLocation", assets, ifUnchanged)
    (step.latitude, step.longitude) = (location?.latitude, location?.longitude)
    steps.append(step)
  }

  /// Sets the assets' caption, at most 1,024 bytes; nil removes it.
  public mutating func setCaption(_ caption: String?, for assets: [Asset], ifUnchanged: Bool = false) {
    var step = Self.step("setCaption", assets, ifUnchanged)
    step.text = caption ?? ""
    steps.append(step)
  }

  /// Moves assets to the owner's trash. A person confirms it, unless the grant allows deletions.
  ///
  /// - Parameter ifUnchanged: true refuses the whole change if one of the assets changed since it
  ///   was fetched. This holds for every method here.
  public mutating func deleteAssets(_ assets: [Asset], ifUnchanged: Bool = false) {
    steps.append(Self.step("delete", assets, ifUnchanged))
  }

  /// Creates an album. ``PhotoLibrary/performChanges(_:)`` returns its identifier.
  public mutating func createAssetCollection(withTitle title: String) {
    steps.append(Library.Change(kind: "createAlbum", text: title))
  }

  /// Changes an album's title.
  public mutating func setTitle(_ title: String, of collection: AssetCollection, ifUnchanged: Bool = false) {
    let version = ifUnchanged ? collection.version : nil
    steps.append(
      Library.Change(kind: "renameAlbum", album: collection.localIdentifier, albumVersion: version, text: title))
  }

  /// Adds assets to an album.
  public mutating func addAssets(_ assets: [any PhotoObject], to collectionIdentifier: String) {
    steps.append(Library.Change(kind: "addToAlbum", assets: assets.map(\.localIdentifier), album: collectionIdentifier))
  }

  /// Removes assets from an album. They stay in the library.
  public mutating func removeAssets(_ assets: [Asset], from collectionIdentifier: String) {
    steps.append(
      Library.Change(kind: "removeFromAlbum", assets: assets.map(\.localIdentifier), album: collectionIdentifier))
  }

  /// Moves members of an album before another member, in the given order; nil moves them to the
  /// end.
  public mutating func moveAssets(_ assets: [Asset], in collectionIdentifier: String, before member: Asset?) {
    steps.append(
      Library.Change(
        kind: "moveInAlbum", assets: assets.map(\.localIdentifier), album: collectionIdentifier,
        before: member?.localIdentifier))
  }

  /// Deletes an album. Its assets stay in the library.
  public mutating func deleteAssetCollection(_ collection: AssetCollection, ifUnchanged: Bool = false) {
    let version = ifUnchanged ? collection.version : nil
    steps.append(Library.Change(kind: "deleteAlbum", album: collection.localIdentifier, albumVersion: version))
  }

  private static func step(_ kind: String, _ assets: [Asset], _ ifUnchanged: Bool) -> Library.Change {
    Library.Change(
      kind: kind, assets: assets.map(\.localIdentifier), versions: ifUnchanged ? assets.map(\.version) : nil)
  }
}
