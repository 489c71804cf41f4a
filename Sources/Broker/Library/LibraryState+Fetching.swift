package import Catalogue
package import PhotoModel

extension LibraryState {
  /// One page of what a view holds, and where to go on.
  package func page(_ query: Query, view: View, limit: Int, after position: CursorPosition?) throws(BrokerError) -> Page {
    try catalogue.answer(query, view: view, limit: limit, after: position)
  }

  /// What a page holds; at once, before the library changes.
  package func rows(of page: Page) -> [AssetRow] { catalogue.rows(page.positions) }

  /// The cursor for an app: good for these options and this app only.
  package func seal(_ position: CursorPosition, options: [UInt8], for app: AppIdentifier) throws(BrokerError) -> String {
    try seals(of: app).seal(position.encode(), for: [UInt8]("cursor ".utf8) + options)
  }

  /// - Throws: `refused` for a cursor that belongs to other options or another app, or is damaged.
  package func openCursor(_ text: String, options: [UInt8], for app: AppIdentifier) throws(BrokerError) -> CursorPosition {
    guard
      let bytes = try seals(of: app).open(text, for: [UInt8]("cursor ".utf8) + options),
      let position = try? CursorPosition(decoding: bytes)
    else {
      throw BrokerError(.refused, "The cursor does not belong to these options; start again without one.")
    }
    return position
  }

  /// The asset of that name in a view. What is hidden and what never was take the same path and give the same error.
  package func asset(_ identifier: AssetIdentifier, in view: View) throws(BrokerError) -> AssetRow {
    guard let position = catalogue.position(of: identifier, in: view) else { throw .identifierNotFound() }
    return catalogue.row(position)
  }

  /// How many assets are in the library, hidden ones too; those in the trash are not.
  package var present: Int {
    var query = Query()
    query.withoutFlags = .trashed
    return catalogue.count(query, in: .owner)
  }

  /// How many assets a grant shows.
  package func visibleCount(_ grant: GrantState, subset: Selection? = nil) -> Int {
    guard let view = grant.view(subset: subset) else { return 0 }
    return catalogue.count(in: view)
  }

  /// Members of an album that an app may see, as a filter. Hidden and absent albums are the same.
  package func members(of identifier: AlbumIdentifier, for grant: GrantState) throws(BrokerError) -> Selection {
    guard shows(identifier, to: grant), let album = albums[identifier] else { throw .identifierNotFound() }
    return members(of: album)
  }

  /// Whether a grant's view has an album; one that is gone counts as it did before.
  package func shows(_ album: AlbumIdentifier, to grant: GrantState) -> Bool {
    grant.albums.shows(album) && !(grant.record.status == .limited && albums[album]?.source == .cloudShared)
  }

  /// A digest of the albums that a grant shows and of what may be done with them, which says nothing of others: where it is the
  /// same, they are. It is the same after a restart.
  func albumsDigest(of grant: GrantState) -> UInt64 {
    let basis = AlbumsDigest.Basis(revision: albumsRevision, isLimited: grant.record.status == .limited)
    if let known = grant.albumsDigest, known.basis == basis { return known.value }
    var digest = AlbumsDigest(basis: basis, mayCreate: grant.albums.mayCreate)
    for album in albums.keys where shows(album, to: grant) { digest.note(album, mayEdit: grant.albums.allowsEditing(album)) }
    grant.albumsDigest = digest
    return digest.value
  }

  /// The albums that a grant shows, by title, each with how many of its members the view holds.
  package func albums(for grant: GrantState, view: View) -> [(album: AlbumRecord, count: Int)] {
    albums.values
      .filter { shows($0.identifier, to: grant) }
      .sorted { $0.title != $1.title ? $0.title < $1.title : $0.identifier < $1.identifier }
      .map { album in
        var query = Query()
        query.members = [members(of: album)]
        return (album, catalogue.count(query, in: view))
      }
  }

  /// Kept until an album changes or the catalogue is laid out anew: an album can be as large as the library.
  func members(of album: AlbumRecord) -> Selection {
    if let known = albumSelections[album.identifier], catalogue.isCurrent(known) { return known }
    let made = catalogue.selection(of: album.members)
    albumSelections[album.identifier] = made
    return made
  }
}

extension Catalogue {
  /// One page of what a view holds; also of a copy, on a worker.
  package func answer(
    _ query: Query, view: View, limit: Int, after position: CursorPosition?
  ) throws(BrokerError) -> Page {
    do { return try page(query, in: view, after: position, limit: limit) } catch {
      throw BrokerError(.refused, "The cursor does not belong to these options; start again without one.")
    }
  }
}
