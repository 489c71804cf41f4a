import Catalogue
import PhotoModel

extension LibraryState {
  /// The visible parts of albums for a grant; empty without a view.
  package func albumSights(of grant: GrantState, _ narrowing: Narrowing? = nil) -> AlbumSights {
    lookAtAlbums(of: grant, narrowing, while: { true }).sights
  }

  /// Computes the visible parts of albums before the app asks, while there is time.
  /// - Returns: false if some are left; finished ones are not computed again.
  func prepareAlbumSights(of grant: GrantState, _ narrowing: Narrowing?, while hasTime: () -> Bool) -> Bool {
    lookAtAlbums(of: grant, narrowing, while: hasTime).isWhole
  }

  private func lookAtAlbums(
    of grant: GrantState, _ narrowing: Narrowing?, while hasTime: () -> Bool
  ) -> (sights: AlbumSights, isWhole: Bool) {
    var basis = AlbumSights.Basis(
      albums: albumsRevision, members: membersRevision, isLimited: grant.record.status == .limited,
      selection: grant.selectionRevision)
    guard let view = grant.view(subset: narrowing?.selection) else {
      return (AlbumSights(basis: basis, selection: grant.selection, mayCreate: false), true)
    }
    if narrowing != nil { basis.shown = catalogue.numbers(in: catalogue.selection(matching: Query(), in: view)) }
    let key = narrowing?.identifiers
    let before = grant.albumSights[key]
    if let before, before.basis == basis { return (before, true) }

    let seen = [before, grant.begunSights[key]].compactMap { $0 }.filter { $0.basis.isOfSameKind(basis) }
    let moved = seen.map { selectionMoves(since: $0, of: grant) }
    var sights = AlbumSights(
      basis: basis, selection: grant.selection, mayCreate: grant.albums.mayCreate && narrowing == nil)
    for album in albums.values where basis.shown?.isEmpty != true && shows(album.identifier, to: grant) {
      let revision = movedMembers[album.identifier] ?? 0
      let known = zip(seen, moved).lazy.compactMap { [self] seen, moved in
        moved.map { catalogue.count(of: catalogue.intersection(members(of: album), $0)) > 0 } ?? false
          ? nil : seen.sight(of: album, moved: revision)
      }.first
      guard known != nil || hasTime() else {
        grant.begunSights[key] = sights.keeping(zip(seen, moved).compactMap { $1 == nil ? $0 : nil })
        return (sights, false)
      }
      let sight = known ?? AlbumSight(album, members(of: album), view: view, few: basis.shown, assets.catalogueInPlace)
      // For an attenuated token, only albums with a visible member exist.
      let isShown = narrowing == nil || !sight.members.isEmpty
      sights.note(
        sight, of: album, moved: revision, isShown: isShown, mayEdit: grant.albums.allowsEditing(album.identifier))
    }
    grant.keep(sights, for: key)
    return (sights, true)
  }

  /// Assets that joined or left a limited grant's selection since the computation; nil: none.
  private func selectionMoves(since seen: AlbumSights, of grant: GrantState) -> Selection? {
    // An attenuated token's visible assets are unchanged; otherwise the results are not compared.
    guard seen.basis.isLimited, seen.basis.shown == nil, seen.basis.selection != grant.selectionRevision else {
      return nil
    }
    let (old, new) = (seen.selection, grant.selection)
    let moves = catalogue.union(catalogue.difference(old, new), catalogue.difference(new, old))
    return catalogue.count(of: moves) > 0 ? moves : nil
  }

  /// Invalidates the visible parts of albums with a member whose visibility changed.
  func noteMoves(of records: [ChangeRecord]) {
    noteMoves(of: records.compactMap { $0.kind.movesAsset ? $0.asset : nil })
  }

  func noteMoves(of moved: [AssetNumber]) {
    guard !moved.isEmpty, !albums.isEmpty else { return }
    let assets = catalogue.intersection(catalogue.selection(of: moved), allMembers())
    guard !catalogue.isEmpty(assets) else { return }
    membersRevision &+= 1
    for album in albums.values where !catalogue.isEmpty(catalogue.intersection(members(of: album), assets)) {
      movedMembers[album.identifier] = membersRevision
    }
  }

  private func allMembers() -> Selection {
    if let known = memberUnion, known.revision == albumsRevision, catalogue.isCurrent(known.selection) {
      return known.selection
    }
    let made = albums.values.reduce(into: catalogue.emptySelection()) { $0 = catalogue.union($0, members(of: $1)) }
    memberUnion = (albumsRevision, made)
    return made
  }
}
