import PhotoModel

/// The effect of a grant's album policy on the albums that the library has now.
struct AlbumRights: Equatable {
  let mayCreate: Bool
  let mayEdit: [AlbumIdentifier: Bool]
}
