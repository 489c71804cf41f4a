package import Broker
import Catalogue
package import PhotoModel

/// Sidecars stay with their assets. A storage pairs them with photos by name alone, so it would give
/// the sidecar of a photo that left to another photo of that name (R39).
extension Reconciler {
  private struct Claim {
    let file: ResourceRecord
    let owner: AssetRecord
    /// The owner's item; nil: the owner is not in the scan, or the sidecar was a Live Photo's video's.
    let item: Int?
    let isOfVideo: Bool
  }

  /// Takes known sidecars out of other assets' items, and puts them into those of their own assets.
  /// - Returns: The sidecars of assets that are not in the scan.
  func returnSidecars(_ items: inout [StorageItem], _ owners: [Int?], joined: Set<Int>)
    -> [Reconciliation.StraySidecar]
  {
    let claims = claims(on: items, owners)
    guard !claims.isEmpty else { return [] }
    var byKey: [ExactText: [Int]] = [:]
    for (number, claim) in claims.enumerated() {
      for key in [claim.file.place, claim.file.mark].compactMap({ $0 }) { byKey[key, default: []].append(number) }
    }
    let assets = Dictionary(owners.enumerated().compactMap { asset, item in item.map { ($0, asset) } }) { $1 }
    var strays: [Reconciliation.StraySidecar] = []
    var found: Set<Int> = []
    for index in items.indices where !joined.contains(index) {
      let item = items[index]
      for file in item.others where file.role == .sidecar {
        let numbers = [file.place, file.mark].compactMap { $0 }.flatMap { byKey[$0] ?? [] }.filter {
          file.isKnown(as: claims[$0].file)
        }
        found.formUnion(numbers)
        guard let claim = numbers.map({ claims[$0] }).min(by: { $0.item != nil && $1.item == nil }),
          !numbers.contains(where: { item.hasPhoto(of: claims[$0].owner) }),
          !(assets[index].map { known[$0].hasSidecar(file) } ?? false)
        else { continue }
        items[index].others.removeAll { $0 == file }
        if let home = claim.item {
          items[home].add(sidecar: file)
        } else {
          let mayReturn = !claim.isOfVideo && !claim.owner.row.flags.contains(.trashed)
          strays.append(.init(file: file, owner: mayReturn ? claim.owner : nil))
        }
      }
    }
    // A storage does not list a sidecar without a photo of its name.
    for claim in claims.indices.filter({ !found.contains($0) }).map({ claims[$0] }) {
      guard let home = claim.item, isThere(claim.file) else { continue }
      items[home].add(sidecar: ItemFile(claim.file, modified: claim.owner.row.modificationDate))
    }
    return strays
  }

  /// The known sidecars that are not in their own assets' items.
  private func claims(on items: [StorageItem], _ owners: [Int?]) -> [Claim] {
    var claims: [Claim] = []
    func claim(_ asset: AssetRecord, _ item: Int?) {
      let video = asset.resources.firstIndex { $0.role == .pairedVideo } ?? .max
      for (index, file) in asset.resources.enumerated() where file.role == .sidecar {
        if let item, items[item].others.contains(where: { $0.isKnown(as: file) }) { continue }
        claims.append(
          Claim(file: file, owner: asset, item: index < video ? item : nil, isOfVideo: index > video))
      }
    }
    for (index, asset) in known.enumerated() { claim(asset, owners[index]) }
    for asset in missing { claim(asset, nil) }
    return claims
  }
}

extension StorageItem {
  /// Removes the unchanged sidecars of an asset whose photo this one replaced.
  package mutating func removeSidecars(of owner: AssetRecord) -> [Reconciliation.StraySidecar] {
    let theirs = others.filter { file in
      file.role == .sidecar && owner.resources.contains { $0.role == .sidecar && file.isUnchanged(since: $0) }
    }
    others.removeAll { theirs.contains($0) }
    return theirs.map { .init(file: $0, owner: owner) }
  }

  /// Adds a sidecar behind those of the photo's name, and before those of a Live Photo's video.
  package mutating func add(sidecar: ItemFile) {
    others.insert(sidecar, at: others.firstIndex { $0.role == .pairedVideo } ?? others.endIndex)
  }

  /// Whether one of the photos or videos was an asset's, such as a raw file that is a photo of its
  /// own now. Its sidecar may have come along.
  fileprivate func hasPhoto(of asset: AssetRecord) -> Bool {
    files.contains { file in
      file.role != .sidecar && asset.resources.contains { $0.role != .sidecar && file.isUnchanged(since: $0) }
    }
  }
}

extension AssetRecord {
  /// Whether a scanned file is one of the asset's known sidecars.
  package func hasSidecar(_ file: ItemFile) -> Bool {
    resources.contains { $0.role == .sidecar && file.isKnown(as: $0) }
  }
}

extension ItemFile {
  fileprivate init(_ known: ResourceRecord, modified: Timestamp) {
    self.init(
      role: known.role, locator: known.locator, filename: known.filename, size: known.size,
      contentVersion: known.contentVersion, identityHint: known.identityHint, modified: modified)
  }

  /// Whether this is a known file: by identity, or unchanged in its place.
  fileprivate func isKnown(as known: ResourceRecord) -> Bool {
    mark != nil && mark == known.mark || place == known.place && isUnchanged(since: known)
  }

  fileprivate func isUnchanged(since known: ResourceRecord) -> Bool {
    ExactText(contentVersion) == ExactText(known.contentVersion)
      && (place == known.place || mark != nil && mark == known.mark)
  }
}
