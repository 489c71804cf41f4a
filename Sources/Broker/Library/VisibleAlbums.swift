package import Catalogue
package import PhotoModel

/// The part of an album that one view shows.
package struct VisibleAlbum: Sendable {
  /// The visible members, in the album's order.
  package let members: [AssetNumber]
  /// A digest of the title and the visible members. Not secret by itself: see
  /// ``AppSeals/version(of:state:)``.
  package let state: UInt64

  /// - Parameters:
  ///   - selection: all members of the album.
  ///   - few: all assets of the view, if they are few; nil: the album's members are filtered
  ///     instead.
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

  /// Sorts some members by the album's order. It stops at the last of them.
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

/// The visible parts of all albums for one view.
///
/// Computed when albums change and not when the app asks: the duration of the app's call must
/// depend on the members that it sees, and not on the others.
package struct VisibleAlbums {
  /// The facts and revisions from which it was computed.
  struct Basis: Equatable {
    var albums: UInt64
    var members: UInt64
    var isLimited: Bool
    var selection: UInt64
    /// The visible assets of an attenuated token; nil: the whole grant's view, or a live attenuation.
    var shown: [AssetNumber]?
    /// The revision of a live attenuation, which may show too many assets to list; nil: it is not live.
    var live: UInt64?

    /// Whether both give the same result for albums without moved members.
    func isOfSameKind(_ other: Self) -> Bool {
      isLimited == other.isLimited && shown == other.shown && live == other.live
    }
  }

  private struct Known {
    let album: AlbumRecord
    let moved: UInt64
    let visibleAlbum: VisibleAlbum
    let isShown: Bool
    /// Of the visible part and the right to edit it.
    let digest: UInt64
  }

  let basis: Basis
  let selection: Selection
  /// An order-independent digest of the visible albums, their visible parts and the rights to edit
  /// them. It depends on nothing else, and is the same after a restart.
  private(set) var digest: UInt64
  private var known: [AlbumIdentifier: Known] = [:]
  /// The visible albums. A walk over all of them would take time for the invisible ones too.
  private(set) var shown: Set<AlbumIdentifier> = []

  init(basis: Basis, selection: Selection, mayCreate: Bool) {
    self.basis = basis
    self.selection = selection
    digest = mayCreate ? 1 : 0
  }

  /// The number of visible albums.
  package var count: Int { shown.count }

  /// Nil for an invisible album.
  package subscript(_ album: AlbumIdentifier) -> VisibleAlbum? {
    known[album].flatMap { $0.isShown ? $0.visibleAlbum : nil }
  }

  /// The albums that appeared, changed or disappeared since an earlier state, by identifier.
  func changed(since before: VisibleAlbums) -> [AlbumIdentifier] {
    func shown(_ albums: VisibleAlbums) -> [AlbumIdentifier: UInt64] {
      albums.known.filter(\.value.isShown).mapValues(\.digest)
    }
    let (old, new) = (shown(before), shown(self))
    return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
  }

  /// The stored result, if the album's visible part is unchanged.
  func visibleAlbum(of album: AlbumRecord, moved: UInt64) -> VisibleAlbum? {
    // Arrays that share their storage compare in constant time.
    guard let known = known[album.identifier], known.moved == moved, known.album.title == album.title,
      known.album.members == album.members
    else { return nil }
    return known.visibleAlbum
  }

  /// Adds results from incomplete computations.
  func keeping(_ others: [VisibleAlbums]) -> VisibleAlbums {
    others.reduce(into: self) { all, other in
      for (album, known) in other.known where all.known[album] == nil {
        all.known[album] = known
        if known.isShown { all.shown.insert(album) }
      }
    }
  }

  /// - Parameter isShown: false for an invisible album: the result is only kept to save a later
  ///   computation.
  mutating func note(_ visibleAlbum: VisibleAlbum, of album: AlbumRecord, moved: UInt64, isShown: Bool, mayEdit: Bool) {
    var digest = StateDigest()
    digest.mix(album.identifier.high)
    digest.mix(album.identifier.low)
    digest.mix(mayEdit ? 2 : 1)
    digest.mix(visibleAlbum.state)
    known[album.identifier] = Known(
      album: album, moved: moved, visibleAlbum: visibleAlbum, isShown: isShown, digest: digest.value)
    guard isShown else { return }
    shown.insert(album.identifier)
    self.digest &+= digest.value
  }
}
