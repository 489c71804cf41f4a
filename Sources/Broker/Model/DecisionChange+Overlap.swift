import Catalogue

extension DecisionChange {
  /// Whether both decisions set the same property, to equal or different values. The caller
  /// compares the grants or libraries.
  func setsAlso(_ other: DecisionChange) -> Bool {
    switch (self, other) {
    case (.grant(let mine), .grant(let other)): mine.setsAlso(other)
    case (.library(let before, let after), .library(let otherBefore, let otherAfter)):
      Self.moves(before.offeredTo, after.offeredTo, otherBefore.offeredTo, otherAfter.offeredTo)
        || Self.moves(before.coOwners, after.coOwners, otherBefore.coOwners, otherAfter.coOwners)
        || [\LibraryRights.administratorsSee, \.administratorsDecide, \.sharesOriginals, \.appsDelete].contains {
          before[keyPath: $0] != after[keyPath: $0] && otherBefore[keyPath: $0] != otherAfter[keyPath: $0]
        }
    case (.rule(let before, let after), .rule(let otherBefore, let otherAfter)):
      (before ?? after)?.name == (otherBefore ?? otherAfter)?.name
    case (.administrators(let before, let after), .administrators(let otherBefore, let otherAfter)):
      Self.moves(before, after, otherBefore, otherAfter)
    case (.marks(let mine), .marks(let other)): mine.setsAlso(other)
    case (.album(let mine), .album(let other)): mine.setsAlso(other)
    default: false
    }
  }

  /// Whether a user was added or removed in both.
  private static func moves(
    _ before: Set<UInt32>, _ after: Set<UInt32>, _ otherBefore: Set<UInt32>, _ otherAfter: Set<UInt32>
  ) -> Bool {
    !before.symmetricDifference(after).isDisjoint(with: otherBefore.symmetricDifference(otherAfter))
  }
}

extension GrantChange {
  fileprivate func setsAlso(_ other: GrantChange) -> Bool {
    before.status != after.status && other.before.status != other.after.status
      || before.isPaused != after.isPaused && other.before.isPaused != other.after.isPaused
      || before.expires != after.expires && other.before.expires != other.after.expires
      || before.albumPolicy != after.albumPolicy && other.before.albumPolicy != other.after.albumPolicy
      || [added, removed].contains { mine in mine.overlaps(other.added) || mine.overlaps(other.removed) }
  }
}

extension MarkChange {
  fileprivate func setsAlso(_ other: MarkChange) -> Bool {
    let marks: [(KeyPath<MarkChange, [SelectionChunk]>, KeyPath<MarkChange, [SelectionChunk]>)] = [
      (\.hidden, \.shown), (\.neverShared, \.shareable), (\.favourites, \.others),
    ]
    return marks.contains { set, unset in
      [set, unset].contains { mine in [set, unset].contains { self[keyPath: mine].overlaps(other[keyPath: $0]) } }
    }
  }
}

extension AlbumChange {
  fileprivate func setsAlso(_ other: AlbumChange) -> Bool {
    guard album == other.album else { return false }
    guard let before, let after, let otherBefore = other.before, let otherAfter = other.after else { return true }
    return before.title != after.title && otherBefore.title != otherAfter.title
      || before.isShared != after.isShared && otherBefore.isShared != otherAfter.isShared
      || !Set(added + removed.map(\.asset)).isDisjoint(with: other.added + other.removed.map(\.asset))
  }
}
