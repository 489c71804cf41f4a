package import PhotoModel

/// Criteria for listing decisions.
package struct DecisionQuery: Sendable {
  /// Names of present libraries. Nil: all decisions, those of removed libraries too.
  package var libraries: Set<LibraryName>?
  /// Nil: all, including decisions about no app.
  package var apps: Set<AppIdentifier>?
  /// Only changes of this photo. Nil: all.
  package var asset: AssetIdentifier?
  /// The earliest time.
  package var since: Timestamp?
  /// Exclusive upper bound of the number: a page's `next`.
  package var before: UInt64?
  /// The largest number of entries.
  package var limit: Int

  package init(
    libraries: Set<LibraryName>? = nil, apps: Set<AppIdentifier>? = nil, asset: AssetIdentifier? = nil,
    since: Timestamp? = nil, before: UInt64? = nil, limit: Int
  ) {
    self.libraries = libraries
    self.apps = apps
    self.asset = asset
    self.since = since
    self.before = before
    self.limit = limit
  }
}
