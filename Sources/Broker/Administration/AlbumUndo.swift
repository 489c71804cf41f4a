import Catalogue
import PhotoModel

extension DecisionChange {
  /// Nil if both are nil.
  static func album(from before: AlbumRecord?, to after: AlbumRecord?) -> Self? {
    guard before != nil || after != nil else { return nil }
    let (old, new) = (before?.members ?? [], after?.members ?? [])
    let (known, kept) = (Set(old), Set(new))
    let left = old.enumerated().filter { !kept.contains($0.element) }
      .sorted { $0.element.rawValue < $1.element.rawValue }
    let members = AssetChange(
      added: AssetNumbers(new.filter { !known.contains($0) }).encoded,
      removed: AssetNumbers(left.map(\.element)).encoded, places: left.map(\.offset))
    return Self(.album(ValueChange(before.map(AlbumFacts.init), after.map(AlbumFacts.init))), [members])
  }
}

/// The undo of one decision about an album.
struct AlbumUndo {
  private let album: ValueChange<AlbumFacts?>
  private let (added, removed): ([AssetNumber], [(index: Int, asset: AssetNumber)])
  /// Whether an asset is still in the library; others are ignored.
  private let exists: (AssetNumber) -> Bool

  /// - Throws: `failed` if the stored change is damaged.
  init(_ album: ValueChange<AlbumFacts?>, _ assets: [AssetChange], exists: @escaping (AssetNumber) -> Bool)
    throws(BrokerError)
  {
    let members = assets.first ?? AssetChange()
    let (added, removed) = try members.numbers()
    guard removed.count == members.places.count else { throw .decisionDamaged() }
    (self.album, self.exists, self.added) = (album, exists, added.members)
    self.removed = zip(members.places, removed.members).map { (index: $0, asset: $1) }.sorted { $0.index < $1.index }
  }

  /// Differences of the present album from the decision's result.
  func moved(_ present: AlbumRecord?) -> [Reason] {
    guard let after = album.after else { return present == nil ? [] : [Reason(.albumBack, "the album is there again")] }
    guard let present else { return [Reason(.albumGone, "the album was deleted")] }
    var moved = ValueChange(album.before ?? AlbumFacts(present), after).moved(AlbumFacts(present))
    let (members, added) = (Set(present.members.filter(exists)), added.filter(exists))
    let isSame = album.before != nil || members == Set(added)
    if !isSame || !members.isSuperset(of: added) || removed.contains(where: { members.contains($0.asset) }) {
      moved.append(Reason(.albumMembersMoved, "its members were changed"))
    }
    return moved
  }

  /// The album with this change undone and later changes kept; nil if it did not exist before.
  func undone(_ present: AlbumRecord?) -> AlbumRecord? {
    guard let before = album.before else { return nil }
    var album =
      present
      ?? AlbumRecord(
        identifier: before.identifier, title: before.title, creator: before.creator, source: before.source,
        created: before.created, members: [], isShared: before.isShared)
    let facts = ValueChange(before, self.album.after ?? before).setBack(AlbumFacts(album))
    (album.title, album.isShared) = (facts.title, facts.isShared)
    let leaving = Set(added)
    album.members.removeAll(where: leaving.contains)
    for place in removed where exists(place.asset) {
      album.members.insert(place.asset, at: min(place.index, album.members.endIndex))
    }
    return album
  }
}
