import Catalogue
import PhotoModel

extension LibraryState {
  /// What a grant's view shows of its albums; nothing where it has no view.
  package func albumSights(of grant: GrantState, _ narrowing: Narrowing? = nil) -> AlbumSights {
    let isLimited = grant.record.status == .limited
    var basis = AlbumSights.Basis(albums: albumsRevision, members: membersRevision, isLimited: isLimited)
    guard let view = grant.view(subset: narrowing?.selection) else { return AlbumSights(basis: basis, mayCreate: false) }
    if narrowing != nil { basis.shown = catalogue.numbers(in: catalogue.selection(matching: Query(), in: view)) }
    let before = grant.albumSights[narrowing?.identifiers]
    if let before, before.basis == basis { return before }

    let ofSameView = before?.basis.isLimited == isLimited && before?.basis.shown == basis.shown ? before : nil
    var sights = AlbumSights(basis: basis, mayCreate: grant.albums.mayCreate && narrowing == nil)
    for album in albums.values where basis.shown?.isEmpty != true && shows(album.identifier, to: grant) {
      let moved = movedMembers[album.identifier] ?? 0
      let sight =
        ofSameView?.sight(of: album, moved: moved) ?? AlbumSight(album, members(of: album), view: view, catalogueInPlace)
      // To the holder of a narrowed token there are only albums with a photo in them that it shows.
      if narrowing != nil, sight.members.isEmpty { continue }
      sights.note(sight, of: album, moved: moved, mayEdit: grant.albums.allowsEditing(album.identifier))
    }
    if grant.albumSights.count > GrantFeeds.narrowedLimit { grant.albumSights = [:] }
    grant.albumSights[narrowing?.identifiers] = sights
    return sights
  }

  /// Has albums looked at again that have a member which came into sight or went out of it.
  func noteMoves(of records: [ChangeRecord]) {
    let moved = records.compactMap { $0.kind.movesAsset ? $0.asset : nil }
    guard !moved.isEmpty, !albums.isEmpty else { return }
    let assets = catalogue.intersection(catalogue.selection(of: moved), allMembers())
    guard catalogue.count(of: assets) > 0 else { return }
    membersRevision &+= 1
    for album in albums.values where catalogue.count(of: catalogue.intersection(members(of: album), assets)) > 0 {
      movedMembers[album.identifier] = membersRevision
    }
  }

  /// Members of any album.
  private func allMembers() -> Selection {
    if let known = memberUnion, known.revision == albumsRevision, catalogue.isCurrent(known.selection) { return known.selection }
    let made = albums.values.reduce(into: catalogue.emptySelection()) { $0 = catalogue.union($0, members(of: $1)) }
    memberUnion = (albumsRevision, made)
    return made
  }
}
