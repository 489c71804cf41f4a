package import PhotoModel

/// The key of a grant: library, app (which implies the user) and level.
package struct GrantKey: Hashable, Sendable {
  package var library: LibraryName
  package var app: AppIdentifier
  package var level: AccessLevel

  package init(library: LibraryName, app: AppIdentifier, level: AccessLevel) {
    self.library = library
    self.app = app
    self.level = level
  }
}
