package import Broker
import Catalogue

/// How what the backend has compares with what the library knows.
package struct Reconciliation: Sendable {
  /// A known asset and the item that it is now.
  package struct Match: Sendable {
    package var known: AssetRecord
    package var item: ScannedItem
    /// The bytes of the original changed, a file came or went, or nobody who knows what is known
    /// now looked into them: look into the files again. Else files moved, or their source or the
    /// library's zone is another one.
    package var needsFacts: Bool
  }

  /// Items that are what they were.
  package var unchanged = 0
  package var changed: [Match] = []
  package var new: [ScannedItem] = []
  package var missing: [AssetRecord] = []
}
