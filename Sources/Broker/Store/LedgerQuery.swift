package import PhotoModel

/// Which entries of a ledger are asked for.
package struct LedgerQuery: Sendable {
  /// Nil: all.
  package var apps: Set<AppIdentifier>?
  /// Nil: all assets.
  package var asset: AssetIdentifier?
  /// Only entries from this time on.
  package var since: Timestamp?
  /// Only entries below this number: a page's `next`.
  package var before: Int64?
  /// How many at most.
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

  /// Whether an entry belongs into the answer. A gap concerns everybody.
  package func takes(_ record: LedgerRecord) -> Bool {
    if let since, record.time < since { return false }
    return record.isGap || apps?.contains(record.app) ?? true && (asset ?? record.asset) == record.asset
  }
}
