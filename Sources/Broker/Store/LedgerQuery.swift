package import PhotoModel

/// Criteria for listing a ledger.
package struct LedgerQuery: Sendable {
  /// Nil: all.
  package var apps: Set<AppIdentifier>?
  /// Nil: all assets.
  package var asset: AssetIdentifier?
  /// The earliest time.
  package var since: Timestamp?
  /// Exclusive upper bound of the number: a page's `next`.
  package var before: Int64?
  /// The largest number of entries.
  package var limit: Int

  package init(
    apps: Set<AppIdentifier>? = nil, asset: AssetIdentifier? = nil, since: Timestamp? = nil, before: Int64? = nil,
    limit: Int
  ) {
    self.apps = apps
    self.asset = asset
    self.since = since
    self.before = before
    self.limit = limit
  }

  /// Whether an entry matches. A gap matches for every app and asset.
  package func takes(_ record: LedgerRecord) -> Bool {
    if let since, record.time < since { return false }
    return record.isGap || apps?.contains(record.app) ?? true && (asset ?? record.asset) == record.asset
  }
}
