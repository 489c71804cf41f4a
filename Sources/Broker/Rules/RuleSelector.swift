package import PhotoModel

/// How a rule chooses assets. What is present narrows together; at least one field must be.
package struct RuleSelector: Sendable, Equatable {
  /// A pattern for paths under the library's folder.
  package var glob: String?
  package var createdFrom: Timestamp?
  package var createdBefore: Timestamp?
  package var filename: String?
  package var mediaType: MediaType?
  package var favourite: Bool?
  /// The last so many by creation date, after all other narrowing.
  package var last: Int?
  package var everything: Bool

  package init(
    glob: String? = nil, createdFrom: Timestamp? = nil, createdBefore: Timestamp? = nil, filename: String? = nil,
    mediaType: MediaType? = nil, favourite: Bool? = nil, last: Int? = nil, everything: Bool = false
  ) {
    self.glob = glob
    self.createdFrom = createdFrom
    self.createdBefore = createdBefore
    self.filename = filename
    self.mediaType = mediaType
    self.favourite = favourite
    self.last = last
    self.everything = everything
  }
}
