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
    value &+= Self.mix(album.high &+ Self.mix(album.low &+ Self.mix(mayEdit ? 2 : 1)))
  }

  /// Each bit of the outcome depends on each of the input.
  private static func mix(_ number: UInt64) -> UInt64 {
    var mixed = number &* 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ mixed >> 32) &* 0xd6e8_feb8_6659_fd93
    return mixed ^ mixed >> 32
  }
}
