package import Broker
import Catalogue
package import PhotoModel

/// The differences between a scan and the library's records.
package struct Reconciliation: Sendable {
  /// A known asset and its present item.
  package struct Match: Sendable {
    package var known: AssetRecord
    package var item: StorageItem
    /// Whether the worker must read the files: the original's bytes changed, a file was added or
    /// removed, or the facts are outdated. Otherwise files moved, or their source or the library's
    /// zone changed.
    package var needsFacts: Bool
  }

  /// A sidecar beside another photo of its name, while its own asset is not in the scan.
  package struct StraySidecar: Sendable {
    package let file: ItemFile
    /// The missing asset that takes it along when it returns; nil: none.
    package let owner: AssetRecord?
  }

  /// The number of unchanged items.
  package var unchanged = 0
  package var changed: [Match] = []
  package var new: [StorageItem] = []
  package var missing: [AssetRecord] = []
  package var strays: [StraySidecar] = []
}

extension StorageItem {
  package var files: [ItemFile] { [primary] + others }
}
