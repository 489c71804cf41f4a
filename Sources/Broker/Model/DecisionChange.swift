/// The change of one decision: its object before and after, and the assets that joined or left a
/// set. An undo restores the fields and assets that have not changed since.
package struct DecisionChange: Sendable, Equatable {
  /// A rule, album or asset that is nil before was created; nil after, it was deleted.
  package enum Object: Sendable, Equatable {
    case grant(ValueChange<GrantRights>)
    case library(ValueChange<LibraryRights>)
    case rule(ValueChange<RuleRecord?>)
    /// The administrators whom root names.
    case administrators(ValueChange<Set<UInt32>>)
    case album(ValueChange<AlbumFacts?>)
    case asset(ValueChange<AssetValues?>)
    case marks
    /// The marks of the decision's library are unknown after a restore.
    case unknownMarks
    /// The decision's library was added.
    case addedLibrary
    /// The decision's app was registered.
    case addedApp
    /// A token of the decision's grant was issued.
    case token(Accessor)
  }

  package var object: Object
  /// Changes of the grant's selection, of the album's members or of marks. Empty in listed decisions.
  package var assets: [AssetChange]

  package init(_ object: Object, _ assets: [AssetChange] = []) {
    self.object = object
    self.assets = assets.filter { !$0.isEmpty }
  }

  package var isOnAlbum: Bool { if case .album = object { true } else { false } }

  package var isOnAsset: Bool { if case .asset = object { true } else { false } }

  /// Whether it is an app's change of an asset, or of an album that the app made.
  package func isOfOwn(_ app: AppIdentifier?) -> Bool {
    if case .album(let album) = object { return app != nil && album.latest()?.creator == app }
    return isOnAsset
  }

  /// Whether an album lost its title, its sharing or members, or was deleted.
  package var takesAway: Bool {
    guard case .album(let album) = object, album.before != nil else { return false }
    return album.before != album.after || assets.contains { !$0.removed.isEmpty }
  }

  /// Whether there is nothing to undo, as after the replacement of a token.
  var isEmpty: Bool {
    guard assets.isEmpty else { return false }
    return switch object {
    case .grant(let grant): !grant.overlaps(grant)
    case .album(let album): album.before == album.after
    case .asset(let asset): asset.before == asset.after
    default: false
    }
  }

  /// Whether both decisions set the same field, to equal or different values. The caller compares
  /// the grants or libraries.
  func setsAlso(_ other: DecisionChange) -> Bool {
    let setsField: Bool
    switch (object, other.object) {
    case (.grant(let mine), .grant(let other)): setsField = mine.overlaps(other)
    case (.library(let mine), .library(let other)): setsField = mine.overlaps(other)
    case (.administrators(let mine), .administrators(let other)): setsField = mine.overlaps(other)
    case (.rule(let mine), .rule(let other)): setsField = mine.latest()?.name == other.latest()?.name
    case (.album(let mine), .album(let other)):
      guard mine.latest()?.identifier == other.latest()?.identifier else { return false }
      setsField = mine.present().map { mine in other.present().map(mine.overlaps) ?? true } ?? true
    case (.marks, .marks): setsField = false
    default: return false
    }
    return setsField || assets.contains { other.assets.contains(where: $0.overlaps) }
  }
}

extension ValueChange {
  package func latest<Wrapped>() -> Wrapped? where Value == Wrapped? { after ?? before }

  /// The change of an object that is there before and after.
  func present<Wrapped>() -> ValueChange<Wrapped>? where Value == Wrapped? {
    guard let before, let after else { return nil }
    return ValueChange<Wrapped>(before, after)
  }
}
