import PhotoModel

/// What a grant's album policy comes down to in a library as it is.
struct AlbumRights: Equatable {
  let mayCreate: Bool
  /// The albums that it shows, and whether the app may change them.
  let mayEdit: [AlbumIdentifier: Bool]
}
