import Broker
import Catalogue
import PhotoModel

/// A file of an asset on its way to an app. Whether it may still go is asked again after every
/// wait: meanwhile the owner may have taken the originals of edited photos back, or an edited
/// version may have come (R39).
struct PickedResource {
  let resource: ResourceRecord
  private let asset: AssetNumber
  /// Whether it shows what was edited away, as far as the store knew when it was picked.
  private let wasBesideEdited: Bool

  /// - Parameter all: what the app may see of the asset, the resource among it.
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
