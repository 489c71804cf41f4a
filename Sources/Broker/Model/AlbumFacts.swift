package import PhotoModel

/// An album without its members.
package struct AlbumFacts: Sendable, Equatable {
  package var identifier: AlbumIdentifier
  package var title: String
  package var isShared: Bool
  package var creator: AppIdentifier?
  package var source: SourceType
  package var created: Timestamp

  package init(
    identifier: AlbumIdentifier, title: String, isShared: Bool, creator: AppIdentifier?, source: SourceType,
    created: Timestamp
  ) {
    self.identifier = identifier
    self.title = title
    self.isShared = isShared
    self.creator = creator
    self.source = source
    self.created = created
  }

  init(_ album: AlbumRecord) {
    self.init(
      identifier: album.identifier, title: album.title, isShared: album.isShared, creator: album.creator,
      source: album.source, created: album.created)
  }
}

extension AlbumFacts: DecidedObject {
  static var fields: [DecidedField<Self>] {
    [
      DecidedField(\.title) { _ in Reason(.albumRetitled, "it has another title") },
      DecidedField(\.isShared) {
        $0.isShared ? Reason(.albumShared, "it was shared") : Reason(.albumUnshared, "it is shared no longer")
      },
    ]
  }
}
