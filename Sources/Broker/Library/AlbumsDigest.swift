import Catalogue
import PhotoModel

/// A digest of a set of albums, their titles, and what may be done with them; in no order.
struct AlbumsDigest {
  /// What it was made for.
  struct Basis: Equatable {
    var revision: UInt64
    var isLimited: Bool
    /// What a narrowed token shows of what it was narrowed to; nil: a whole one.
    var shown: [AssetNumber]?
  }

  let basis: Basis
  private(set) var value: UInt64

  init(basis: Basis, mayCreate: Bool) {
    self.basis = basis
    value = mayCreate ? 1 : 0
  }

  mutating func note(_ album: AlbumRecord, mayEdit: Bool) {
    var digest = StateDigest()
    digest.mix(album.identifier.high)
    digest.mix(album.identifier.low)
    digest.mix(mayEdit ? 2 : 1)
    digest.mix(album.title.utf8)
    value &+= digest.value
  }
}
