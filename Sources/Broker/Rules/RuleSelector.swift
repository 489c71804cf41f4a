package import PhotoModel

/// Criteria by which a rule chooses assets. All criteria that are set apply together; at least one
/// must be set.
package struct RuleSelector: Sendable, Equatable {
  /// A pattern for paths below the library's folder.
  package var glob: String?
  package var createdFrom: Timestamp?
  package var createdBefore: Timestamp?
  package var filename: String?
  package var mediaType: MediaType?
  package var favourite: Bool?
  /// The latest assets by creation date, of those that match the other criteria.
  package var last: Int?
  package var everything: Bool
  /// Only in a live selection. A deleted album has no members, so nothing fits.
  package var album: AlbumIdentifier?

  package init(
    glob: String? = nil, createdFrom: Timestamp? = nil, createdBefore: Timestamp? = nil, filename: String? = nil,
    mediaType: MediaType? = nil, favourite: Bool? = nil, last: Int? = nil, everything: Bool = false,
    album: AlbumIdentifier? = nil
  ) {
    self.glob = glob
    self.createdFrom = createdFrom
    self.createdBefore = createdBefore
    self.filename = filename
    self.mediaType = mediaType
    self.favourite = favourite
    self.last = last
    self.everything = everything
    self.album = album
  }
}
