import Broker
import Catalogue
import Indexer
import PhotoModel
import PluginHost

/// The assets of the scanned folders, as the library has them.
struct KnownAssets: Sendable {
  var assets: [AssetRecord]
  /// Assets whose files were added since the scan began.
  var placed: Set<AssetNumber> = []
  /// Whether apps were adding files at that time.
  var isBeingAddedTo = false

  /// The assets that a scan can judge. An asset added behind the scan is neither missing nor
  /// moved.
  func seen(by scan: StorageListing) -> [AssetRecord] {
    guard !placed.isEmpty else { return assets }
    let locators = Set(scan.items.lazy.map { ExactText($0.primary.locator) })
    return assets.filter { asset in
      !placed.contains(asset.row.number)
        || asset.resources.contains { $0.role == .original && locators.contains(ExactText($0.locator)) }
    }
  }
}
