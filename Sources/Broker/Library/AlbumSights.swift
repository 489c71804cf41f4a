package import Catalogue
package import PhotoModel

/// What a view shows of an album.
package struct AlbumSight: Sendable {
  /// Those of its members that the view holds, in the album's order.
  package let members: [AssetNumber]
  /// A digest of the title and of these members. Not secret by itself: see ``AppSeals/version(of:state:)``.
  package let state: UInt64

  /// - Parameters:
  ///   - selection: all members of the album.
  ///   - few: all that the view shows, where that is little; nil: what it shows is looked for among all members.
  init(_ album: AlbumRecord, _ selection: Selection, view: View, few: [AssetNumber]?, _ catalogue: Catalogue) {
    if let few {
      members = Self.members(few.filter { catalogue.contains($0, in: selection) }, of: album)
    } else {
      var query = Query()
      query.members = [selection]
      let shown = catalogue.selection(matching: query, in: view)
      members = catalogue.count(of: shown) == 0 ? [] : album.members.filter { catalogue.contains($0, in: shown) }
    }
    var digest = StateDigest()
    digest.mix(album.title.utf8)
    for number in members {
      guard let identifier = catalogue.position(of: number).map(catalogue.identifier) else { continue }
      digest.mix(identifier.high)
      digest.mix(identifier.low)
    }
    state = digest.value
  }

  /// Some members in the album's order; it is gone through no further than to the last of them.
  private static func members(_ some: [AssetNumber], of album: AlbumRecord) -> [AssetNumber] {
    guard some.count > 1 else { return some }
    var left = Set(some)
    var members: [AssetNumber] = []
    for number in album.members where left.remove(number) != nil {
      members.append(number)
      if left.isEmpty { break }
    }
    return members
  }
}

/// What a view shows of albums, all of them.
///
/// Looked at when something happened to them and not when the app asks: how long its call takes
/// follows from what it sees, and not from members that it does not.
package struct AlbumSights {
  /// What it was made of.
  struct Basis: Equatable {
    /// ``LibraryState/albumsRevision``
    var albums: UInt64
    /// ``LibraryState/membersRevision``
    var members: UInt64
    var isLimited: Bool
    /// ``GrantState/selectionRevision``
    var selection: UInt64
    /// What a narrowed token shows of what it was narrowed to; nil: a whole one.
    var shown: [AssetNumber]?

    /// Whether what an album shows is the same for both, but for what moved.
    func isOfSameKind(_ other: Self) -> Bool { isLimited == other.isLimited && shown == other.shown }
  }

  private struct Known {
    let album: AlbumRecord
    /// ``LibraryState/membersRevision`` at which one of its members last came into sight or went out of it.
    let moved: UInt64
    let sight: AlbumSight
    let isShown: Bool
  }

  let basis: Basis
  /// The grant's selection then.
  let selection: Selection
  /// A digest of which albums there are, what they show, and what may be done with them; in no
  /// order. It says nothing of others and is the same after a restart.
  private(set) var digest: UInt64
  private var known: [AlbumIdentifier: Known] = [:]

  init(basis: Basis, selection: Selection, mayCreate: Bool) {
    self.basis = basis
    self.selection = selection
    digest = mayCreate ? 1 : 0
  }

  /// Nil: the view does not have that album.
  package subscript(_ album: AlbumIdentifier) -> AlbumSight? { known[album].flatMap { $0.isShown ? $0.sight : nil } }

  /// The same of an album as long as nothing has happened to what it shows.
  func sight(of album: AlbumRecord, moved: UInt64) -> AlbumSight? {
    // Two lists that are one in memory are compared at once.
    guard let known = known[album.identifier], known.moved == moved, known.album.title == album.title,
      known.album.members == album.members
    else { return nil }
    return known.sight
  }

  /// The same with what else was seen of albums.
  func keeping(_ others: [AlbumSights]) -> AlbumSights {
    others.reduce(into: self) { all, other in all.known.merge(other.known) { mine, _ in mine } }
  }

  /// - Parameter isShown: false: the view does not have the album, and nothing of it is told; only
  ///   that it need not be looked at again.
  mutating func note(_ sight: AlbumSight, of album: AlbumRecord, moved: UInt64, isShown: Bool, mayEdit: Bool) {
    known[album.identifier] = Known(album: album, moved: moved, sight: sight, isShown: isShown)
    guard isShown else { return }
    var digest = StateDigest()
    digest.mix(album.identifier.high)
    digest.mix(album.identifier.low)
    digest.mix(mayEdit ? 2 : 1)
    digest.mix(sight.state)
    self.digest &+= digest.value
  }
}
