package import Catalogue
package import PhotoModel

/// One entry of a library's change log, or of one grant's selection log. Its identifiers are
/// internal and never leave the broker.
package struct ChangeRecord: Sendable, Equatable {
  package enum Kind: UInt8, Sendable {
    /// The asset was added, restored or unhidden.
    case appeared = 1
    /// Its bytes or metadata changed.
    case changed = 2
    /// It was removed, trashed or hidden.
    case disappeared = 3
    /// It joined the grant's selection.
    case selected = 4
    /// It left the grant's selection.
    case unselected = 5
    /// An album changed. Each view computes the effect for itself: ``VisibleAlbums``.
    case album = 6
    /// It became cloud-shared: limited views lose it, full views see a change (R45).
    case shared = 7
    /// It stopped being cloud-shared.
    case unshared = 8
    /// As `appeared` and `disappeared`, for a cloud-shared asset, which limited views do not see.
    case sharedAppeared = 9
    case sharedDisappeared = 10
  }

  /// Grows by one with each entry of the library, in either log.
  package var sequence: UInt64
  package var kind: Kind
  package var asset: AssetNumber?
  /// The asset's identifier, for use after its row is gone.
  package var identifier: AssetIdentifier?
  /// The album, for `album`.
  package var album: AlbumIdentifier?
  /// The grant whose selection changed; nil: the library's log.
  package var grant: GrantKey?

  package init(
    sequence: UInt64, kind: Kind, asset: AssetNumber? = nil, identifier: AssetIdentifier? = nil,
    album: AlbumIdentifier? = nil, grant: GrantKey? = nil
  ) {
    self.sequence = sequence
    self.kind = kind
    self.asset = asset
    self.identifier = identifier
    self.album = album
    self.grant = grant
  }
}
