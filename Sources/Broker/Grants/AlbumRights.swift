import PhotoModel

/// The effect of a grant's album policy on the albums that the library has now.
struct AlbumRights: Equatable {
  let mayCreate: Bool
  /// The visible albums, and whether the app may change each.
  let mayEdit: [AlbumIdentifier: Bool]
}
