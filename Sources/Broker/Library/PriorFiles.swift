import Catalogue
import PhotoModel

/// Whose files were whose when a look at the storage compared them with what is known: of what it
/// found to be new, changed or gone.
package struct PriorFiles: Sendable {
  private var files: [AssetNumber: [ResourceRecord]] = [:]
  private var byHint: [ExactText: [AssetNumber]] = [:]
  private var byPlace: [ExactText: [AssetNumber]] = [:]
  /// What stays with files of what changed or is gone that were seen somewhere.
  private var seen: Set<ExactText> = []

  package init() {}

  /// - Parameters:
  ///   - known: Assets as they were read for the look.
  ///   - altered: Those of them that changed or are gone.
  ///   - found: Files of what is new or changed.
  ///   - seen: What stays with each file that was seen.
  package init(
    known: [AssetRecord], altered: [AssetRecord], found: [(locator: String, hint: String?)], seen: some Sequence<String>
  ) {
    for asset in altered { files[asset.row.number] = asset.resources }
    guard !found.isEmpty else { return }
    let places = Set(found.map { ExactText($0.locator) })
    let hints = Set(found.compactMap(\.hint).map { ExactText($0) })
    for asset in known {
      for file in asset.resources where file.role != .sidecar {
        let (place, hint) = (ExactText(file.locator), file.identityHint.map { ExactText($0) })
        if let hint, hints.contains(hint) { byHint[hint, default: []].append(asset.row.number) }
        // Also of one that is elsewhere by now: whoever saves a photo anew may have put the old one there.
        if places.contains(place) { byPlace[place, default: []].append(asset.row.number) }
      }
    }
    let marks = Set(altered.lazy.flatMap(\.resources).compactMap(\.identityHint).map { ExactText($0) })
    if !marks.isEmpty { self.seen = Set(seen.lazy.map { ExactText($0) }.filter(marks.contains)) }
  }

  /// What an asset had that changed or is gone.
  func files(of asset: AssetNumber) -> [ResourceRecord] { files[asset] ?? [] }

  /// The assets that a file belonged to, by what stays with it.
  func assets(knownBy file: ResourceRecord) -> [AssetNumber] {
    file.identityHint.flatMap { byHint[ExactText($0)] } ?? []
  }

  /// The assets that had a file in this place.
  func assets(at place: String) -> [AssetNumber] { byPlace[ExactText(place)] ?? [] }

  /// Whether a file of what changed or is gone was seen by the look, by what stays with it.
  func isSeenElsewhere(_ file: ResourceRecord) -> Bool {
    file.identityHint.map { seen.contains(ExactText($0)) } ?? false
  }
}
