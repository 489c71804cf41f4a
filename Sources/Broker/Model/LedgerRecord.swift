import Catalogue
package import PhotoModel

/// Something that was handed to an app (R139).
package struct LedgerRecord: Sendable, Equatable {
  package var time: Timestamp
  package var app: AppIdentifier
  package var accessor: Accessor
  package var asset: AssetIdentifier
  /// `metadata`, `thumbnail`, or a resource's role.
  package var rendition: String
  /// 0 for metadata; a descriptor counts as the whole file, and a stream as well, which is noted
  /// before any byte leaves.
  package var bytes: Int64
  /// True: marks that the broker stopped here without a clean end.
  package var isGap: Bool

  package init(
    time: Timestamp, app: AppIdentifier, accessor: Accessor, asset: AssetIdentifier, rendition: String, bytes: Int64,
    isGap: Bool = false
  ) {
    self.time = time
    self.app = app
    self.accessor = accessor
    self.asset = asset
    self.rendition = rendition
    self.bytes = bytes
    self.isGap = isGap
  }
}
