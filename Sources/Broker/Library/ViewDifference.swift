import Catalogue
import PhotoModel

/// What changed in one view between a point in its feed and now.
///
/// Worked out from the present state and the feed alone: the first change of an asset that was seen
/// says whether the asset was in the view before it.
struct ViewDifference {
  private(set) var inserted: [AssetNumber] = []
  private(set) var changed: [AssetNumber] = []
  /// With their internal identifiers, since the row may be gone.
  private(set) var removed: [AssetIdentifier] = []

  /// - Parameter narrowing: The assets that a token was narrowed to; of others it is told nothing. Nil: not narrowed.
  init(_ seen: ArraySlice<SeenChange>, grant: GrantState, narrowing: Narrowing?, catalogue: Catalogue) {
    let isFull = grant.record.status == .authorized
    var known: Set<AssetNumber> = []
    for change in seen {
      guard let asset = change.asset, let identifier = change.identifier, known.insert(asset).inserted else { continue }
      let sees =
        catalogue.isShareable(asset, withLimited: !isFull) && (isFull || catalogue.contains(asset, in: grant.selection))
        // What came after the token was attached is not in its view.
        && (narrowing.map { catalogue.contains(asset, in: $0.selection) } ?? true)
      switch (Self.wasSeen(before: change.kind), sees) {
      case (false, true): inserted.append(asset)
      case (true, false): removed.append(identifier)
      case (true, true): changed.append(asset)
      case (false, false): break
      }
    }
  }

  /// Whether an asset was in a view that saw this happen to it.
  private static func wasSeen(before kind: ChangeRecord.Kind) -> Bool {
    switch kind {
    case .appeared, .selected, .unshared, .sharedAppeared: false
    case .changed, .disappeared, .unselected, .album, .shared, .sharedDisappeared: true
    }
  }
}
