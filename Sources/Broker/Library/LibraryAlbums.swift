package import Catalogue
package import PhotoModel

/// The albums of one library, the parts of them that each grant sees, and when these last changed.
package final class LibraryAlbums {
  package private(set) var records: [AlbumIdentifier: AlbumRecord] {
    didSet {
      if selections.count > records.count { selections = selections.filter { records[$0.key] != nil } }
      if movedMembers.count > records.count { movedMembers = movedMembers.filter { records[$0.key] != nil } }
      revision &+= 1
    }
  }
  private(set) var revision: UInt64 = 0
  /// Changes whenever a member of an album becomes visible or invisible, since the start.
  private var membersRevision: UInt64 = 0
  /// The ``membersRevision`` at an album's last such change.
  private var movedMembers: [AlbumIdentifier: UInt64] = [:]
  private var memberUnion: (revision: UInt64, selection: Selection)?
  private var selections: [AlbumIdentifier: (members: [AssetNumber], selection: Selection)] = [:]
  private let assets: LibraryAssets
  private var catalogue: Catalogue { assets.catalogue }

  init(_ albums: [AlbumRecord], assets: LibraryAssets) {
    records = Dictionary(albums.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    self.assets = assets
  }

  package internal(set) subscript(album: AlbumIdentifier) -> AlbumRecord? {
    get { records[album] }
    set { records[album] = newValue }
  }

  package var isEmpty: Bool { records.isEmpty }
  package var values: [AlbumIdentifier: AlbumRecord].Values { records.values }

  /// Number of an album's members that are present. Missing ones keep their places uncounted
  /// (``MissingAsset``).
  package func countPresent(_ album: AlbumRecord) -> Int {
    catalogue.count(of: catalogue.selection(of: album.members))
  }

  /// Removes an asset from all albums.
  func forget(_ number: AssetNumber) {
    for (identifier, album) in records where album.members.contains(number) {
      records[identifier]?.members.removeAll { $0 == number }
    }
  }

  /// An album's members, cached until the album changes or the catalogue is compacted, because an
  /// album can be as large as the library.
  func members(of album: AlbumRecord) -> Selection {
    // Arrays that share their storage compare in constant time.
    if let known = selections[album.identifier], known.members == album.members,
      catalogue.isCurrent(known.selection)
    {
      return known.selection
    }
    let made = catalogue.selection(of: album.members)
    selections[album.identifier] = (album.members, made)
    return made
  }

  // MARK: Visible albums

  /// An album's members, as a filter. Invisible and missing albums give the same error.
  package func members(
    of identifier: AlbumIdentifier, for grant: GrantState, subset: Selection? = nil
  ) throws(BrokerError) -> Selection {
    guard shows(identifier, to: grant, subset: subset), let album = records[identifier] else {
      throw .identifierNotFound()
    }
    return members(of: album)
  }

  /// Whether a grant's view has an album. For a deleted album, whether it had.
  package func shows(_ album: AlbumIdentifier, to grant: GrantState) -> Bool {
    grant.albums.shows(album) && !(grant.record.status == .limited && records[album]?.source == .cloudShared)
  }

  /// Whether a token attenuated to `subset` shows an album. Only albums with a visible member exist
  /// for it, because others would reveal other photos. An empty album is no exception, because it
  /// would reveal when it gets members.
  package func shows(_ album: AlbumIdentifier, to grant: GrantState, subset: Selection?) -> Bool {
    guard shows(album, to: grant) else { return false }
    guard let subset else { return true }
    guard let view = grant.view(subset: subset), let album = records[album] else { return false }
    return count(of: album, in: view) > 0
  }

  /// The visible albums of a grant and the rights to change them, whatever their members.
  func rights(of grant: GrantState) -> AlbumRights {
    let shown = records.keys.lazy.filter { [self] in shows($0, to: grant) }
    return AlbumRights(
      mayCreate: grant.albums.mayCreate,
      mayEdit: Dictionary(uniqueKeysWithValues: shown.map { ($0, grant.albums.allowsEditing($0)) }))
  }

  /// The albums that a grant shows, by title.
  package func shown(to grant: GrantState, _ attenuation: Attenuation? = nil) -> [AlbumRecord] {
    visibleAlbums(of: grant, attenuation).shown.compactMap { records[$0] }.sorted {
      AlbumPosition($0) < AlbumPosition($1)
    }
  }

  /// One page of the albums that a grant shows, by title.
  /// - Parameter wanted: only these; nil means all.
  package func page(
    of visibleAlbums: VisibleAlbums, among wanted: Set<AlbumIdentifier>? = nil, after position: AlbumPosition?,
    limit: Int
  ) -> AlbumPage {
    AlbumPage(
      visibleAlbums.shown.lazy.filter { wanted?.contains($0) != false }.compactMap { [records] in records[$0] },
      after: position, limit: limit)
  }

  /// The albums of a grant that hold these assets of its view. It tests every asset in every visible
  /// album, which takes a microsecond each, so the assets should be few.
  package func albums(of assets: [AssetNumber], among visibleAlbums: VisibleAlbums) -> [AssetNumber: [AlbumIdentifier]]
  {
    var found: [AssetNumber: [AlbumIdentifier]] = [:]
    for album in visibleAlbums.shown.lazy.compactMap({ [records] in records[$0] }) {
      let members = members(of: album)
      for number in assets where catalogue.contains(number, in: members) {
        found[number, default: []].append(album.identifier)
      }
    }
    return found
  }

  /// One page of all albums, by title.
  package func page(after position: AlbumPosition?, limit: Int) -> AlbumPage {
    AlbumPage(records.values, after: position, limit: limit)
  }

  /// Number of an album's members in a view.
  package func count(of album: AlbumRecord, in view: View) -> Int {
    var query = Query()
    query.members = [members(of: album)]
    return catalogue.count(query, in: view)
  }

  // MARK: Visible members

  /// The visible parts of albums for a grant; empty without a view.
  package func visibleAlbums(of grant: GrantState, _ attenuation: Attenuation? = nil) -> VisibleAlbums {
    computeVisibleAlbums(of: grant, attenuation, while: { true }).visibleAlbums
  }

  /// Computes the visible parts of albums before the app asks, while there is time.
  /// - Returns: false if time ran out. A further call computes only the rest.
  func prepareVisibleAlbums(of grant: GrantState, _ attenuation: Attenuation?, while hasTime: () -> Bool) -> Bool {
    computeVisibleAlbums(of: grant, attenuation, while: hasTime).isWhole
  }

  private func computeVisibleAlbums(
    of grant: GrantState, _ attenuation: Attenuation?, while hasTime: () -> Bool
  ) -> (visibleAlbums: VisibleAlbums, isWhole: Bool) {
    var basis = VisibleAlbums.Basis(
      albums: revision, members: membersRevision, isLimited: grant.record.status == .limited,
      selection: grant.selectionRevision)
    guard let view = grant.view(subset: attenuation?.selection) else {
      return (VisibleAlbums(basis: basis, selection: grant.selection, mayCreate: false), true)
    }
    if let attenuation, attenuation.key.isLive {
      basis.live = attenuation.revision
    } else if attenuation != nil {
      basis.shown = catalogue.numbers(in: catalogue.selection(matching: Query(), in: view))
    }
    let key = attenuation?.key
    let before = grant.visibleAlbums[key]
    if let before, before.basis == basis { return (before, true) }

    let seen = [before, grant.begunVisibleAlbums[key]].compactMap { $0 }.filter { $0.basis.isOfSameKind(basis) }
    let moved = seen.map { selectionMoves(since: $0, of: grant) }
    var visibleAlbums = VisibleAlbums(
      basis: basis, selection: grant.selection, mayCreate: grant.albums.mayCreate && attenuation == nil)
    for album in records.values where basis.shown?.isEmpty != true && shows(album.identifier, to: grant) {
      let revision = movedMembers[album.identifier] ?? 0
      let known = zip(seen, moved).lazy.compactMap { [self] seen, moved in
        moved.map { catalogue.count(of: catalogue.intersection(members(of: album), $0)) > 0 } ?? false
          ? nil : seen.visibleAlbum(of: album, moved: revision)
      }.first
      guard known != nil || hasTime() else {
        grant.begunVisibleAlbums[key] = visibleAlbums.keeping(zip(seen, moved).compactMap { $1 == nil ? $0 : nil })
        return (visibleAlbums, false)
      }
      let visibleAlbum =
        known ?? VisibleAlbum(album, members(of: album), view: view, few: basis.shown, assets.catalogueInPlace)
      // For an attenuated token, only albums with a visible member exist.
      let isShown = attenuation == nil || !visibleAlbum.members.isEmpty
      visibleAlbums.note(
        visibleAlbum, of: album, moved: revision, isShown: isShown,
        mayEdit: grant.albums.allowsEditing(album.identifier))
    }
    grant.keep(visibleAlbums, for: key)
    return (visibleAlbums, true)
  }

  /// Assets that joined or left a limited grant's selection since the computation; nil: none.
  private func selectionMoves(since seen: VisibleAlbums, of grant: GrantState) -> Selection? {
    // For an attenuated token, a change of its visible assets discards the results beforehand.
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
    guard !moved.isEmpty, !records.isEmpty else { return }
    let moving = catalogue.intersection(catalogue.selection(of: moved), allMembers())
    guard !catalogue.isEmpty(moving) else { return }
    membersRevision &+= 1
    for album in records.values
    where !catalogue.isEmpty(catalogue.intersection(members(of: album), moving)) {
      movedMembers[album.identifier] = membersRevision
    }
  }

  private func allMembers() -> Selection {
    if let known = memberUnion, known.revision == revision, catalogue.isCurrent(known.selection) {
      return known.selection
    }
    let made = records.values.reduce(into: catalogue.emptySelection()) {
      $0 = catalogue.union($0, members(of: $1))
    }
    memberUnion = (revision, made)
    return made
  }
}
