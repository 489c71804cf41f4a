package import PhotoModel

/// What an album policy's answer comes down to for one grant.
package struct AlbumAccess: Sendable, Equatable {
  package enum Scope: Sendable, Equatable {
    case all
    case only(Set<AlbumIdentifier>)
  }

  package var visible: Scope
  /// Albums that may be changed; always visible ones.
  package var editable: Scope
  package var mayCreate: Bool

  package init(visible: Scope, editable: Scope, mayCreate: Bool) {
    self.visible = visible
    self.editable = editable
    self.mayCreate = mayCreate
  }

  /// No albums exist (R46); also what a policy that does not answer comes down to (R136).
  package static let none = AlbumAccess(visible: .only([]), editable: .only([]), mayCreate: false)
  /// R49.
  package static let full = AlbumAccess(visible: .all, editable: .all, mayCreate: true)

  package func shows(_ album: AlbumIdentifier) -> Bool { Self.holds(album, visible) }
  package func allowsEditing(_ album: AlbumIdentifier) -> Bool { shows(album) && Self.holds(album, editable) }

  /// Whether this allows all that `other` does.
  package func includes(_ other: AlbumAccess) -> Bool {
    Self.covers(visible, other.visible) && Self.covers(editable, other.editable) && (mayCreate || !other.mayCreate)
  }

  private static func covers(_ wide: Scope, _ narrow: Scope) -> Bool {
    switch (wide, narrow) {
    case (.all, _): true
    case (.only, .all): false
    case (.only(let wide), .only(let narrow)): wide.isSuperset(of: narrow)
    }
  }

  private static func holds(_ album: AlbumIdentifier, _ scope: Scope) -> Bool {
    switch scope {
    case .all: true
    case .only(let albums): albums.contains(album)
    }
  }
}
