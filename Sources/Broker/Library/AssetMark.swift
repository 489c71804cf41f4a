import Catalogue
import PhotoModel

/// A moment in a library's history, given by the next asset number.
package struct AssetMark: Sendable {
  let next: UInt32

  /// Whether a file that the storage reports as newly added was part of an older asset: the owner's
  /// or another request's. Compared by identity, else by place and state, because another file may
  /// have taken the place of a deleted one.
  /// - Parameter known: assets with a file of this identity or at this place.
  package func hasFile(of identity: String?, at place: Addition.Place? = nil, in known: [AssetRecord]) -> Bool {
    known.lazy.filter { $0.row.number.rawValue < next }.flatMap(\.resources).contains { file in
      if let identity, let other = file.identityHint { return ExactText(identity) == ExactText(other) }
      guard let place else { return false }
      return ExactText(place.locator) == ExactText(file.locator)
        && ExactText(place.contentVersion) == ExactText(file.contentVersion)
    }
  }
}
