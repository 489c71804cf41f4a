package import Catalogue
import Macaroons
package import PhotoModel

/// The assets to which a token is attenuated, while it is attached.
package final class Attenuation {
  /// The caveats about assets, in the broker's own identifiers. The same caveats give the same view.
  struct Key: Hashable {
    /// All listed assets, so that log entries about removed assets can be matched; nil: all assets.
    var assets: Set<AssetIdentifier>?
    var albums: Set<AlbumIdentifier> = []
    var createdFrom: Timestamp?
    var createdBefore: Timestamp?
    /// Whether the token withholds places, and so has other dates.
    var withholdsPlaces = false

    /// Whether assets join and leave by themselves.
    var isLive: Bool { !albums.isEmpty || createdFrom != nil || createdBefore != nil }
  }

  let key: Key
  /// The assets in the library, or missing: the listed ones of when the token was attached, or the
  /// present ones of a live attenuation.
  package private(set) var selection: Selection
  /// The changes that a live attenuation saw.
  private(set) var feed = GrantFeed()
  /// Changes whenever a live attenuation shows other assets.
  private(set) var revision: UInt64 = 0
  /// The assets that a live attenuation showed last; nil: none yet.
  private var shown: Selection?
  private var basis: Basis?

  /// The facts from which a live attenuation was resolved.
  private struct Basis: Equatable {
    /// The members of each album; nil: invisible or missing.
    let members: [AlbumIdentifier: [AssetNumber]?]
    let isLimited: Bool
    let withholdsPlaces: Bool
  }

  init(selection: Selection, identifiers: Set<AssetIdentifier>) {
    self.selection = selection
    key = Key(assets: identifiers)
  }

  /// Creates a live attenuation, which shows nothing yet.
  /// - Parameter start: a random number. Change tokens of an earlier one with the same key must not
  ///   match.
  init(_ key: Key, in catalogue: Catalogue, start: UInt64) {
    self.key = key
    selection = catalogue.emptySelection()
    feed = GrantFeed([], earlier: 0, earlierDigest: start)
    revision = start
  }

  /// Whether an album policy decides about its assets.
  package var isOfAlbums: Bool { !key.albums.isEmpty }
  var identifiers: Set<AssetIdentifier> { key.assets ?? [] }

  /// Whether an entry of the change log is about these assets.
  func concerns(_ entry: ChangeRecord) -> Bool { Self.concerns(entry, identifiers) }

  static func concerns(_ entry: ChangeRecord, _ identifiers: Set<AssetIdentifier>) -> Bool {
    entry.identifier.map(identifiers.contains) ?? false
  }

  // MARK: Following

  /// Brings a live attenuation up to date. Its feed gets the changes of the assets that it shows and
  /// no others.
  /// - Parameter records: the library's changes since the last call.
  /// - Returns: whether assets that it showed do not meet its caveats any more.
  func follow(_ records: [ChangeRecord], of grant: GrantState, _ albums: LibraryAlbums, _ catalogue: Catalogue) -> Bool
  {
    guard grant.viewUnlessPaused() != nil else {
      // The next view has a generation of its own, and is no change of the last one.
      (basis, shown) = (nil, nil)
      return false
    }
    let now = Basis(
      members: Dictionary(
        uniqueKeysWithValues: key.albums.map { ($0, albums.shows($0, to: grant) ? albums[$0]?.members : nil) }),
      isLimited: grant.record.status == .limited,
      withholdsPlaces: key.withholdsPlaces || grant.record.termsInForce.withheld.contains(.location))
    let isWhole = now != basis || !catalogue.isCurrent(selection)
    guard isWhole || !records.isEmpty else { return false }
    basis = now
    let before = selection
    if isWhole {
      selection = met(now, among: nil, albums, catalogue)
    } else {
      let touched = catalogue.selection(of: records.lazy.compactMap(\.asset))
      selection = catalogue.union(
        catalogue.difference(selection, touched), met(now, among: touched, albums, catalogue))
    }
    guard let view = grant.viewUnlessPaused(subset: selection) else { return false }
    let (earlier, visible) = (shown, catalogue.selection(matching: Query(), in: view))
    shown = visible
    guard let earlier else {
      revision &+= 1
      return false
    }
    note(records, from: earlier, to: visible, catalogue)
    return !catalogue.isEmpty(catalogue.intersection(earlier, catalogue.difference(before, selection)))
  }

  /// The assets that meet the caveats.
  private func met(_ basis: Basis, among some: Selection?, _ albums: LibraryAlbums, _ catalogue: Catalogue)
    -> Selection
  {
    var query = Query()
    query.createdFrom = key.createdFrom
    query.createdBefore = key.createdBefore
    query.withholdsPlaces = basis.withholdsPlaces
    query.identifiers = key.assets.map { Array($0) }
    query.members = basis.members.map { album, members in
      members == nil ? catalogue.emptySelection() : albums[album].map(albums.members) ?? catalogue.emptySelection()
    }
    if let some { query.members.append(some) }
    return catalogue.selection(matching: query, in: .everything)
  }

  private func note(
    _ records: [ChangeRecord], from earlier: Selection, to visible: Selection, _ catalogue: Catalogue
  ) {
    let stayed = catalogue.intersection(earlier, visible)
    let left = catalogue.named(in: catalogue.difference(earlier, visible))
    let joined = catalogue.named(in: catalogue.difference(visible, earlier))
    func enter(_ kind: ChangeRecord.Kind, _ asset: AssetNumber, _ identifier: AssetIdentifier?) {
      feed.note(ChangeRecord(sequence: 0, kind: kind, asset: asset, identifier: identifier))
    }
    for record in records where record.grant == nil {
      guard let asset = record.asset, catalogue.contains(asset, in: stayed) else { continue }
      enter(.changed, asset, record.identifier)
    }
    for (asset, identifier) in left { enter(.unselected, asset, identifier) }
    for (asset, identifier) in joined { enter(.selected, asset, identifier) }
    feed.trim()
    if !left.isEmpty || !joined.isEmpty { revision &+= 1 }
  }
}

extension LibraryState {
  /// Resolves the caveats about assets of a token that is being attached; nil: it has none.
  /// - Throws: `limitExceeded` for too many different ones of a grant.
  func attenuation(by restrictions: TokenRestrictions, of grant: GrantState) throws(BrokerError) -> Attenuation? {
    let seals = try seals[grant.record.key.app]
    let listed = restrictions.assets?.map {
      AssetIdentifier(high: UInt64(truncatingIfNeeded: $0 >> 64), low: UInt64(truncatingIfNeeded: $0))
    }
    var key = Attenuation.Key()
    for album in restrictions.albums {
      key.albums.insert(
        try seals.open(
          AlbumIdentifier(high: UInt64(truncatingIfNeeded: album >> 64), low: UInt64(truncatingIfNeeded: album))))
    }
    key.createdFrom = restrictions.createdFrom.flatMap { Timestamp(seconds: $0) }
    key.createdBefore = restrictions.createdBefore.flatMap { Timestamp(seconds: $0) }
    guard key.isLive else {
      guard
        let made = try listed.map({ (assets) throws(BrokerError) in
          try attenuation(to: assets, for: grant.record.key.app)
        })
      else { return nil }
      try grant.requireRoom(for: made.key)
      return made
    }
    if let listed { key.assets = Set(try listed.map { (asset) throws(BrokerError) in try seals.open(asset) }) }
    key.withholdsPlaces = restrictions.withheld.contains(.location)
    try grant.requireRoom(for: key)
    return grant.live[key] ?? Attenuation(key, in: catalogue, start: environment.randomWords().low)
  }

  /// Resolves a token's list of assets in this library; unknown identifiers have no effect.
  /// - Parameter identifiers: the app's identifiers.
  package func attenuation(to identifiers: [AssetIdentifier], for app: AppIdentifier) throws(BrokerError) -> Attenuation
  {
    let seals = try seals[app]
    var named = Set<AssetIdentifier>()
    for identifier in identifiers { named.insert(try seals.open(identifier)) }
    let numbers = named.compactMap { catalogue.position(of: $0, in: .everything).map(catalogue.number) }
    return Attenuation(selection: catalogue.selection(of: numbers), identifiers: named)
  }
}
