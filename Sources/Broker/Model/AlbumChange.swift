package import Catalogue
package import PhotoModel

/// One decision's change of an album, in full, so that it can be undone.
package struct AlbumChange: Sendable, Equatable {
  /// An album without its members.
  package struct Facts: Sendable, Equatable {
    package var title: String
    package var isShared: Bool
    package var creator: AppIdentifier?
    package var source: SourceType
    package var created: Timestamp

    package init(title: String, isShared: Bool, creator: AppIdentifier?, source: SourceType, created: Timestamp) {
      self.title = title
      self.isShared = isShared
      self.creator = creator
      self.source = source
      self.created = created
    }

    init(_ album: AlbumRecord) {
      self.init(
        title: album.title, isShared: album.isShared, creator: album.creator, source: album.source,
        created: album.created)
    }
  }

  /// A removed member and its former index.
  package struct Place: Sendable, Equatable {
    package var index: Int
    package var asset: AssetNumber

    package init(index: Int, asset: AssetNumber) {
      self.index = index
      self.asset = asset
    }
  }

  package var album: AlbumIdentifier
  /// Nil: the album is new.
  package var before: Facts?
  /// Nil: the album was deleted.
  package var after: Facts?
  package var added: [AssetNumber]
  /// In ascending order of their indices.
  package var removed: [Place]

  package init(album: AlbumIdentifier, before: Facts?, after: Facts?, added: [AssetNumber], removed: [Place]) {
    self.album = album
    self.before = before
    self.after = after
    self.added = added
    self.removed = removed
  }

  /// Nil if both are nil.
  init?(from before: AlbumRecord?, to after: AlbumRecord?) {
    guard let album = before?.identifier ?? after?.identifier else { return nil }
    let (old, new) = (before?.members ?? [], after?.members ?? [])
    let (known, kept) = (Set(old), Set(new))
    self.init(
      album: album, before: before.map(Facts.init), after: after.map(Facts.init),
      added: new.filter { !known.contains($0) },
      removed: old.enumerated().filter { !kept.contains($0.element) }.map { Place(index: $0.offset, asset: $0.element) }
    )
  }

  /// Whether something was removed: the album, its title, its sharing, or members.
  package var takesAway: Bool { before != nil && (before != after || !removed.isEmpty) }

  /// Whether nothing changed, except perhaps the order of the members.
  var isEmpty: Bool { before == after && added.isEmpty && removed.isEmpty }

  /// Differences of the present album from the decision's result.
  /// - Parameter exists: whether an asset is still in the library; others are ignored.
  func moved(_ present: AlbumRecord?, exists: (AssetNumber) -> Bool) -> [Reason] {
    guard let after else { return present == nil ? [] : [Reason(.albumBack, "the album is there again")] }
    guard let present else { return [Reason(.albumGone, "the album was deleted")] }
    var moved: [Reason] = []
    if before?.title != after.title, present.title != after.title {
      moved.append(Reason(.albumRetitled, "it has another title"))
    }
    if before?.isShared != after.isShared, present.isShared != after.isShared {
      moved.append(
        present.isShared ? Reason(.albumShared, "it was shared") : Reason(.albumUnshared, "it is shared no longer"))
    }
    let members = Set(present.members.filter(exists))
    let isSame = before != nil || members == Set(added.filter(exists))
    if !isSame || !members.isSuperset(of: added.filter(exists))
      || removed.contains(where: { members.contains($0.asset) })
    {
      moved.append(Reason(.albumMembersMoved, "its members were changed"))
    }
    return moved
  }

  /// The album with this change undone and later changes kept; nil if it did not exist before.
  func undone(_ present: AlbumRecord?, exists: (AssetNumber) -> Bool) -> AlbumRecord? {
    guard let before else { return nil }
    var album =
      present
      ?? AlbumRecord(
        identifier: self.album, title: before.title, creator: before.creator, source: before.source,
        created: before.created, members: [],
        isShared: before.isShared)
    if before.title != after?.title { album.title = before.title }
    if before.isShared != after?.isShared { album.isShared = before.isShared }
    let leaving = Set(added)
    album.members.removeAll(where: leaving.contains)
    for place in removed where exists(place.asset) {
      album.members.insert(place.asset, at: min(place.index, album.members.endIndex))
    }
    return album
  }
}
