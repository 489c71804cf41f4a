import Catalogue
import PhotoModel

/// The changes of one view between a point in its feed and now.
///
/// Computed from the present state and the feed alone: the first visible change of an asset tells
/// whether the view had the asset before.
struct ViewDifference {
  private(set) var inserted: [AssetNumber] = []
  private(set) var changed: [AssetNumber] = []
  /// Internal identifiers, because the rows may be gone.
  private(set) var removed: [AssetIdentifier] = []

  /// - Parameter narrowing: the assets of an attenuated token, which is told of no others; nil: not
  ///   attenuated.
  init(_ seen: ArraySlice<SeenChange>, grant: GrantState, attenuation: Attenuation?, catalogue: Catalogue) {
    let isFull = grant.record.status == .authorized
    var known: Set<AssetNumber> = []
    for change in seen {
      guard let asset = change.asset, let identifier = change.identifier, known.insert(asset).inserted else { continue }
      let sees =
        catalogue.isShareable(asset, withLimited: !isFull) && (isFull || catalogue.contains(asset, in: grant.selection))
        // Assets that were added after the token was attached are not in its view.
        && (attenuation.map { catalogue.contains(asset, in: $0.selection) } ?? true)
      switch (Self.wasSeen(before: change.kind), sees) {
      case (false, true): inserted.append(asset)
      case (true, false): removed.append(identifier)
      case (true, true): changed.append(asset)
      case (false, false): break
      }
    }
  }

  /// Whether a view that saw this change had the asset before it.
  private static func wasSeen(before kind: ChangeRecord.Kind) -> Bool {
    switch kind {
    case .appeared, .selected, .unshared, .sharedAppeared: false
    case .changed, .disappeared, .unselected, .album, .shared, .sharedDisappeared: true
    }
  }
}
