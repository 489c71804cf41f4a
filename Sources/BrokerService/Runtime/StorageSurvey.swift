import Broker
import Catalogue
import Indexer
import PhotoModel
import PluginHost

/// The storage's and the library's contents in the same folders.
struct StorageSurvey {
  var scan: StorageListing
  var known: [AssetRecord]
  /// Nil: all folders.
  var folders: [StorageFolder]?
  var volumes: [StorageVolume] = []
  var offline: [StorageFolder] = []

  /// Whether one of an asset's files lies in an unreadable folder.
  func isOffline(_ asset: AssetRecord) -> Bool {
    !offline.isEmpty && asset.resources.contains { resource in offline.contains { $0.contains(resource.locator) } }
  }

  /// Whether the storage's data about one of an asset's files was refused.
  func isRefused(_ asset: AssetRecord) -> Bool {
    let refused = scan.refused
    return !refused.files.isEmpty
      && asset.resources.contains { resource in
        refused.files[ExactText(resource.locator)] != nil
          || resource.identityHint.map { refused.identities.contains(ExactText($0)) } ?? false
      }
  }
}
