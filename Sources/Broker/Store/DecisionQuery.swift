package import PhotoModel

/// Which decisions are asked for.
package struct DecisionQuery: Sendable {
  /// Those of libraries that are there now, by name. Nil: all that are kept, of removed libraries too.
  package var libraries: Set<LibraryName>?
  /// Nil: all, and what concerns no app.
  package var apps: Set<AppIdentifier>?
  /// Only decisions from this time on.
  package var since: Timestamp?
  /// Only decisions below this number: a page's `next`.
  package var before: UInt64?
  /// How many at most.
  package var limit: Int

  package init(
    libraries: Set<LibraryName>? = nil, apps: Set<AppIdentifier>? = nil, since: Timestamp? = nil, before: UInt64? = nil,
    limit: Int
  ) {
    self.libraries = libraries
    self.apps = apps
    self.since = since
    self.before = before
    self.limit = limit
  }
}
