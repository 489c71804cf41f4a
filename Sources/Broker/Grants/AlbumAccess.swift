package import PhotoModel

/// What an album policy was asked as.
package struct AlbumBasis: Sendable, Equatable {
  package var policy: String
  package var isLimited: Bool

  package init(policy: String, isLimited: Bool) {
    self.policy = policy
    self.isLimited = isLimited
  }
}

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

  /// How many albums are named as visible, those included that are gone; nil: all are.
  package var visibleCount: Int? { if case .only(let albums) = visible { albums.count } else { nil } }

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

  /// With another answer about some albums.
  package func taking(_ answer: AlbumAccess, about albums: Set<AlbumIdentifier>) -> AlbumAccess {
    AlbumAccess(
      visible: Self.replacing(albums, in: visible, by: answer.visible),
      editable: Self.replacing(albums, in: editable, by: answer.editable), mayCreate: answer.mayCreate)
  }

  private static func replacing(_ albums: Set<AlbumIdentifier>, in scope: Scope, by answer: Scope) -> Scope {
    switch (scope, answer) {
    case (.only(let known), .only(let some)): .only(known.subtracting(albums).union(some.intersection(albums)))
    case (.only(let known), .all): .only(known.union(albums))
    case (.all, _): .all
    }
  }

  private static func holds(_ album: AlbumIdentifier, _ scope: Scope) -> Bool {
    switch scope {
    case .all: true
    case .only(let albums): albums.contains(album)
    }
  }
}
