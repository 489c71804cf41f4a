package import Catalogue
package import PhotoModel

/// An album and its members in order.
package struct AlbumRecord: Sendable, Equatable {
  package var identifier: AlbumIdentifier
  package var title: String
  /// The app that made it; nil: the owner or the backend did.
  package var creator: AppIdentifier?
  package var source: SourceType
  package var created: Timestamp
  package var members: [AssetNumber]
  /// Whether limited apps whose album policy shows shared albums may read it.
  package var isShared: Bool

  package init(
    identifier: AlbumIdentifier, title: String, creator: AppIdentifier?, source: SourceType, created: Timestamp,
    members: [AssetNumber], isShared: Bool = false
  ) {
    self.identifier = identifier
    self.title = title
    self.creator = creator
    self.source = source
    self.created = created
    self.members = members
    self.isShared = isShared
  }
}
