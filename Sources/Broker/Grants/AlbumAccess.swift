package import PhotoModel

/// The question to which an album policy's answer belongs.
package struct AlbumBasis: Sendable, Equatable {
  package var policy: String
  package var isLimited: Bool

  package init(policy: String, isLimited: Bool) {
    self.policy = policy
    self.isLimited = isLimited
  }
}

/// The answer of an album policy for one grant.
package struct AlbumAccess: Sendable, Equatable {
  package enum Scope: Sendable, Equatable {
    case all
    case only(Set<AlbumIdentifier>)
  }

  package var visible: Scope
  /// Albums that the app may change; invisible ones have no effect.
  package var editable: Scope
  package var mayCreate: Bool

  package init(visible: Scope, editable: Scope, mayCreate: Bool) {
    self.visible = visible
    self.editable = editable
    self.mayCreate = mayCreate
  }

  /// No albums (R46). It also stands for a policy that does not answer (R136).
  package static let none = AlbumAccess(visible: .only([]), editable: .only([]), mayCreate: false)

  package func shows(_ album: AlbumIdentifier) -> Bool { Self.holds(album, visible) }
  package func allowsEditing(_ album: AlbumIdentifier) -> Bool { shows(album) && Self.holds(album, editable) }

  /// Number of visible albums, including deleted ones; nil: all are visible.
  package var visibleCount: Int? { if case .only(let albums) = visible { albums.count } else { nil } }

  /// Whether this allows everything that `other` allows.
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

  /// This access with another answer for some albums.
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
