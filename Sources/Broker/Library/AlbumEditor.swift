package import Catalogue
import Limits
package import PhotoModel

/// An owner's edit of an album; nil keeps a property.
package struct OwnedAlbumEdit {
  package var title: String?
  package var adding: Selection?
  package var removing: Selection?
  package var isShared: Bool?
  package var deletes: Bool

  package init(title: String?, adding: Selection?, removing: Selection?, isShared: Bool?, deletes: Bool) {
    self.title = title
    self.adding = adding
    self.removing = removing
    self.isShared = isShared
    self.deletes = deletes
  }
}

/// Changes of one library's albums by people.
package final class AlbumEditor: LibraryPart {
  let core: LibraryCore

  init(_ core: LibraryCore) { self.core = core }

  /// Carries out an owner's edit of an album in one commit.
  ///
  /// - Parameters:
  ///   - identifier: nil makes a new album.
  ///   - keeping: further changes for the commit, from the album before and after.
  ///   - completion: the album after the edit; nil if it was deleted. Fails with `notFound`,
  ///     `refused`, `failed`.
  package func edit(
    _ identifier: AlbumIdentifier?, _ edit: OwnedAlbumEdit,
    keeping: @escaping (AlbumRecord?, AlbumRecord?) -> [StoreChange] = { _, _ in [] },
    completion: @escaping Completion<AlbumRecord?>
  ) {
    change(identifier, keeping: keeping, completion: completion) { [self] (before) throws(BrokerError) in
      guard identifier == nil || before != nil else {
        throw BrokerError.notFound("album", "The library has no such album; list its albums to see their names.")
      }
      return try edited(before, edit)
    }
  }

  /// Replaces an album by the result of `change`, which gets the album when the queued edit runs,
  /// in one commit.
  func change(
    _ identifier: AlbumIdentifier?, keeping: @escaping (AlbumRecord?, AlbumRecord?) -> [StoreChange],
    completion: @escaping Completion<AlbumRecord?>,
    _ change: @escaping (AlbumRecord?) throws(BrokerError) -> AlbumRecord?
  ) {
    var outcome: AlbumRecord?
    content.enqueue(isOwners: true) { [self] () throws(BrokerError) -> ContentPlan in
      let before = identifier.flatMap { albums[$0] }
      let after = try change(before)
      outcome = after
      guard before != after, let name = identifier ?? after?.identifier else { return ContentPlan() }
      var plan = ContentPlan()
      plan.changes =
        [after.map { .putAlbum(assets.library, $0) } ?? .removeAlbum(assets.library, name)] + keeping(before, after)
      plan.records = [changes.log.makeRecord(.album, album: name)]
      plan.apply = { [self] in albums[name] = after }
      return plan
    } completion: { result in
      completion(result.map { outcome })
    }
  }

  private func edited(_ before: AlbumRecord?, _ edit: OwnedAlbumEdit) throws(BrokerError) -> AlbumRecord? {
    if edit.deletes {
      guard before != nil else { throw .refused(.albumUnnamed, "Say which album to delete.") }
      return nil
    }
    guard let title = edit.title ?? before?.title else {
      throw .refused(.albumUntitled, "A new album needs a title.")
    }
    guard !title.isBlank, title.utf8.count <= BrokerLimits.titleBytes, title.isShowable(allowsLines: false) else {
      throw .refused(
        .albumTitle,
        "A title must have 1 to \(BrokerLimits.titleBytes) bytes, something that can be seen, and neither control nor "
          + "direction characters.",
        ["limit": "\(BrokerLimits.titleBytes)"])
    }
    var album = before ?? newAlbum(title)
    album.title = title
    if let removing = edit.removing {
      album.members.removeAll { assets.catalogue.contains($0, in: removing) }
      // Removing all visible members also removes the missing ones.
      if albums.countPresent(album) == 0 { album.members = [] }
    }
    if let adding = edit.adding {
      let known = Set(album.members)
      album.members += assets.catalogue.numbers(in: adding).filter { !known.contains($0) }
    }
    guard albums.countPresent(album) <= BrokerLimits.albumAssets else {
      throw .refused(
        .albumFull, "An album holds at most \(BrokerLimits.albumAssets) assets.",
        ["limit": "\(BrokerLimits.albumAssets)"])
    }
    if let isShared = edit.isShared { album.isShared = isShared }
    return album
  }

  private func newAlbum(_ title: String) -> AlbumRecord {
    let words = environment.randomWords()
    return AlbumRecord(
      identifier: AlbumIdentifier(high: words.high, low: words.low), title: title, creator: nil, source: .userLibrary,
      created: environment.now, members: [])
  }
}
