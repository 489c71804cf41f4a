import Catalogue
import PhotoModel

/// The assets to which files belonged before a scan, for files that it found new, changed or gone.
package struct PriorFiles: Sendable {
  private var files: [AssetNumber: [ResourceRecord]] = [:]
  private var byHint: [ExactText: [AssetNumber]] = [:]
  private var byPlace: [ExactText: [AssetNumber]] = [:]
  /// Identities of files of changed or gone assets that the scan saw somewhere.
  private var seen: Set<ExactText> = []

  package init() {}

  /// - Parameters:
  ///   - known: all assets as the scan read them.
  ///   - altered: the changed and gone ones.
  ///   - found: files of new and changed assets.
  ///   - seen: identities of all files that the scan saw.
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
        // Even if that asset's file has moved: an editor may have put the old file elsewhere and
        // saved a new one here.
        if places.contains(place) { byPlace[place, default: []].append(asset.row.number) }
      }
    }
    let marks = Set(altered.lazy.flatMap(\.resources).compactMap(\.identityHint).map { ExactText($0) })
    if !marks.isEmpty { self.seen = Set(seen.lazy.map { ExactText($0) }.filter(marks.contains)) }
  }

  /// The earlier files of a changed or gone asset.
  func files(of asset: AssetNumber) -> [ResourceRecord] { files[asset] ?? [] }

  func assets(knownBy file: ResourceRecord) -> [AssetNumber] {
    file.identityHint.flatMap { byHint[ExactText($0)] } ?? []
  }

  func assets(at place: String) -> [AssetNumber] { byPlace[ExactText(place)] ?? [] }

  /// Whether the scan saw this file of a changed or gone asset, by identity.
  func isSeenElsewhere(_ file: ResourceRecord) -> Bool {
    file.identityHint.map { seen.contains(ExactText($0)) } ?? false
  }
}
