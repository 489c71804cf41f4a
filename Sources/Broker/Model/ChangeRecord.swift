package import Catalogue
package import PhotoModel

/// One entry of a library's change log, or of one grant's selection log. Numbers are the broker's
/// own and never leave it.
package struct ChangeRecord: Sendable, Equatable {
  package enum Kind: UInt8, Sendable {
    /// The asset came into the library, or back from the trash, or out of hiding.
    case appeared = 1
    /// Its bytes or metadata changed.
    case changed = 2
    /// It left the library, or went into the trash or into hiding.
    case disappeared = 3
    /// It joined the grant's selection.
    case selected = 4
    /// It left the grant's selection.
    case unselected = 5
    /// Something happened to an album, which each view has looked at for itself: ``AlbumSights``.
    case album = 6
    /// It became cloud-shared: limited views lose it, in full ones it changed (R45).
    case shared = 7
    /// It is cloud-shared no longer.
    case unshared = 8
    /// As `appeared` and `disappeared`, of a cloud-shared asset: nothing that happened to a limited view.
    case sharedAppeared = 9
    case sharedDisappeared = 10
  }

  /// Grows by one with each entry of the library, whichever log it is in.
  package var sequence: UInt64
  package var kind: Kind
  package var asset: AssetNumber?
  /// The asset's identifier, for when its row is gone.
  package var identifier: AssetIdentifier?
  /// For `album`: which.
  package var album: AlbumIdentifier?
  /// The grant whose selection it concerns; nil: the library's log.
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
