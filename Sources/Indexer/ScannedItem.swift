package import PhotoModel

/// What the storage backend has under one name: a photo or a video with the files that go with it.
package struct ScannedItem: Sendable, Equatable {
  /// One file of it.
  package struct File: Sendable, Equatable {
    package var role: ResourceRole
    /// How the backend finds it.
    package var locator: String
    package var filename: String
    package var size: Int64
    /// Changes with the bytes; opaque.
    package var contentVersion: String
    /// Stays with the file when it moves; opaque. Nil: the backend has none.
    package var identityHint: String?
    /// When the bytes last changed.
    package var modified: Timestamp

    package init(
      role: ResourceRole, locator: String, filename: String, size: Int64, contentVersion: String, identityHint: String?,
      modified: Timestamp
    ) {
      self.role = role
      self.locator = locator
      self.filename = filename
      self.size = size
      self.contentVersion = contentVersion
      self.identityHint = identityHint
      self.modified = modified
    }
  }

  /// The photo or video itself first; never empty.
  package var primary: File
  package var others: [File]
  package var source: SourceType

  package init(primary: File, others: [File] = [], source: SourceType = .userLibrary) {
    self.primary = primary
    self.others = others
    self.source = source
  }

  package var files: [File] { [primary] + others }
}
