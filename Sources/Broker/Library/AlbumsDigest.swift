import PhotoModel

/// A digest of a set of albums; in no order.
struct AlbumsDigest {
  /// What it was made for.
  struct Basis: Equatable {
    var revision: UInt64
    var isLimited: Bool
  }

  let basis: Basis
  private(set) var value: UInt64

  init(basis: Basis, mayCreate: Bool) {
    self.basis = basis
    value = mayCreate ? 1 : 0
  }

  mutating func note(_ album: AlbumIdentifier, mayEdit: Bool) {
    var digest = StateDigest()
    digest.mix(album.high)
    digest.mix(album.low)
    digest.mix(mayEdit ? 2 : 1)
    value &+= digest.value
  }
}
