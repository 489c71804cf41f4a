import Catalogue
package import PhotoModel

/// One delivery to an app (R139).
package struct LedgerRecord: Sendable, Equatable {
  package var time: Timestamp
  package var app: AppIdentifier
  package var accessor: Accessor
  package var asset: AssetIdentifier
  /// `metadata`, `thumbnail`, a resource's role, or ``notCleaned``.
  package var rendition: String
  /// 0 for metadata. A descriptor or a stream counts as the whole file, before any byte is sent.
  package var bytes: Int64
  /// Whether this entry marks that the broker stopped here without a clean end.
  package var isGap: Bool

  /// The rendition of a picked file that was not delivered, because it cannot be cleaned.
  package static let notCleaned = "notCleaned"

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
