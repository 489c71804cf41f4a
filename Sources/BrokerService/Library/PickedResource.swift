import Broker
import Catalogue
import PhotoModel

/// A file of an asset on its way to an app. It is checked again after every wait: the owner may
/// have stopped sharing originals, or an edited version may have come (R39).
struct PickedResource {
  let resource: ResourceRecord
  private let asset: AssetNumber
  /// Whether the asset had an edited version when the file was picked.
  private let wasBesideEdited: Bool

  /// - Parameter all: All resources of the asset that the app may get, this one included.
  init(_ resource: ResourceRecord, among all: [ResourceRecord], of asset: AssetNumber) {
    self.resource = resource
    self.asset = asset
    wasBesideEdited = all.contains { $0.role == .edited }
  }

  func isShown(in library: LibraryState) -> Bool {
    if resource.role == .edited || library.record.sharesOriginals { return true }
    return !wasBesideEdited && library.catalogue.row(of: asset)?.subtypes.contains(.edited) == false
  }
}
