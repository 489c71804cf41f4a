package import Catalogue
package import PhotoModel

extension LibraryState {
  /// An album's members, as a filter. Invisible and missing albums give the same error.
  package func members(
    of identifier: AlbumIdentifier, for grant: GrantState, subset: Selection? = nil
  ) throws(BrokerError) -> Selection {
    guard shows(identifier, to: grant, subset: subset), let album = albums[identifier] else {
      throw .identifierNotFound()
    }
    return members(of: album)
  }

  /// Whether a grant's view has an album. For a deleted album, whether it had.
  package func shows(_ album: AlbumIdentifier, to grant: GrantState) -> Bool {
    grant.albums.shows(album) && !(grant.record.status == .limited && albums[album]?.source == .cloudShared)
  }

  /// Whether a token attenuated to `subset` shows an album. Only albums with a visible member exist
  /// for it, because others would reveal other photos. An empty album is no exception, because it
  /// would reveal when it gets members.
  package func shows(_ album: AlbumIdentifier, to grant: GrantState, subset: Selection?) -> Bool {
    guard shows(album, to: grant) else { return false }
    guard let subset else { return true }
    guard let view = grant.view(subset: subset), let album = albums[album] else { return false }
    return count(of: album, in: view) > 0
  }

  /// The visible albums of a grant and the rights to change them, whatever their members.
  func albumRights(of grant: GrantState) -> AlbumRights {
    let shown = albums.keys.lazy.filter { [self] in shows($0, to: grant) }
    return AlbumRights(
      mayCreate: grant.albums.mayCreate,
      mayEdit: Dictionary(uniqueKeysWithValues: shown.map { ($0, grant.albums.allowsEditing($0)) }))
  }

  /// The albums that a grant shows, by title.
  package func albums(for grant: GrantState, _ narrowing: Narrowing? = nil) -> [AlbumRecord] {
    let sights = albumSights(of: grant, narrowing)
    return albums.values.filter { sights[$0.identifier] != nil }.sorted { AlbumPosition($0) < AlbumPosition($1) }
  }

  /// One page of the albums that a grant shows, by title.
  package func albumPage(of sights: AlbumSights, after position: AlbumPosition?, limit: Int) -> AlbumPage {
    AlbumPage(albums.values.lazy.filter { sights[$0.identifier] != nil }, after: position, limit: limit)
  }

  /// One page of all albums, by title.
  package func albumPage(after position: AlbumPosition?, limit: Int) -> AlbumPage {
    AlbumPage(albums.values, after: position, limit: limit)
  }

  /// Number of an album's members in a view.
  package func count(of album: AlbumRecord, in view: View) -> Int {
    var query = Query()
    query.members = [members(of: album)]
    return catalogue.count(query, in: view)
  }

  /// An album's members, cached until the album changes or the catalogue is compacted, because an
  /// album can be as large as the library.
  func members(of album: AlbumRecord) -> Selection {
    // Arrays that share their storage compare in constant time.
    if let known = albumSelections[album.identifier], known.members == album.members,
      catalogue.isCurrent(known.selection)
    {
      return known.selection
    }
    let made = catalogue.selection(of: album.members)
    albumSelections[album.identifier] = (album.members, made)
    return made
  }
}
