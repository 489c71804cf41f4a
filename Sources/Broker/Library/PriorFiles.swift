import Catalogue
import PhotoModel

/// Whose files were whose when a look at the storage compared them with what is known: of what it found to be new, changed or gone.
package struct PriorFiles: Sendable {
  private var files: [AssetNumber: [ResourceRecord]] = [:]
  private var byHint: [ExactText: [AssetNumber]] = [:]
  private var byPlace: [ExactText: [AssetNumber]] = [:]

  package init() {}

  /// - Parameters:
  ///   - known: Assets as they were read for the look.
  ///   - altered: Those of them that changed or are gone.
  ///   - found: Files of what is new or changed.
  ///   - seen: What stays with each file that was seen. One that was seen elsewhere says nothing of what lies in its former place.
  package init(
    known: [AssetRecord], altered: [AssetRecord], found: [(locator: String, hint: String?)], seen: some Sequence<String>
  ) {
    for asset in altered { files[asset.row.number] = asset.resources }
    guard !found.isEmpty else { return }
    let places = Set(found.map { ExactText($0.locator) })
    let hints = Set(found.compactMap(\.hint).map { ExactText($0) })
    var inPlace: [(hint: ExactText?, place: ExactText, asset: AssetNumber)] = []
    for asset in known {
      for file in asset.resources where file.role != .sidecar {
        let (place, hint) = (ExactText(file.locator), file.identityHint.map { ExactText($0) })
        if let hint, hints.contains(hint) { byHint[hint, default: []].append(asset.row.number) }
        if places.contains(place) { inPlace.append((hint, place, asset.row.number)) }
      }
    }
    let marks = Set(inPlace.lazy.compactMap(\.hint))
    let moved = Set(seen.lazy.map { ExactText($0) }.filter(marks.contains))
    for (hint, place, asset) in inPlace where !(hint.map(moved.contains) ?? false) { byPlace[place, default: []].append(asset) }
  }

  /// What an asset had that changed or is gone.
  func files(of asset: AssetNumber) -> [ResourceRecord] { files[asset] ?? [] }

  /// The assets that a file belonged to: by what stays with it, or by its place.
  func assets(of file: ResourceRecord) -> [AssetNumber] {
    (file.identityHint.flatMap { byHint[ExactText($0)] } ?? []) + (byPlace[ExactText(file.locator)] ?? [])
  }
}
