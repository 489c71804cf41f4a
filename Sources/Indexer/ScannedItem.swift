package import PhotoModel

/// A photo or video in the storage, with the other files of its name.
package struct ScannedItem: Sendable, Equatable {
  /// One file of an item.
  package struct File: Sendable, Equatable {
    package var role: ResourceRole
    /// The storage's locator.
    package var locator: String
    package var filename: String
    package var size: Int64
    /// Changes with the bytes; opaque.
    package var contentVersion: String
    /// Stays with the file when it moves; opaque. Nil if the storage has none.
    package var identityHint: String?
    /// The last change of the bytes.
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

  /// The photo or video itself.
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
