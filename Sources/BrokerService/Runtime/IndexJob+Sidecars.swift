import Broker
import Delivery
import Indexer
import PhotoModel
import PluginKit

/// Sidecars that are left out of a photo: of another photo, or too large.
extension IndexJob {
  /// Leaves out the sidecars that an earlier scan found to be another photo's, if the photos are
  /// unchanged.
  func withoutLeftOutSidecars(_ items: [StorageItem], known: [AssetRecord]) -> [StorageItem] {
    leftOutSidecars = []
    guard unusable.values.contains(where: { $0.reason.code.leavesOutSidecar }) else { return items }
    let versions = Dictionary(
      known.compactMap(\.resources.first).map { (ExactText($0.locator), $0.contentVersion) },
      uniquingKeysWith: { first, _ in first })
    return items.map { item in
      guard versions[ExactText(item.primary.locator)] == item.primary.contentVersion else { return item }
      var item = item
      item.others.removeAll { file in
        guard file.role == .sidecar, let known = unusable[ExactText(file.locator)],
          known.contentVersion == file.contentVersion, known.reason.code.leavesOutSidecar
        else { return false }
        leftOutSidecars.append(file)
        return true
      }
      return item
    }
  }

  /// Reads the sidecar of Google Takeout, and leaves out sidecars that are not the photo's.
  /// - Returns: whether the facts hold without a sidecar that was left out.
  func applySidecars(of item: inout StorageItem, to found: inout FactsReader.Found, _ outcome: inout Outcome) -> Bool {
    let xmp = item.xmpSidecar
    for sidecar in item.sidecars where FileKind(sidecar.filename) == .sidecar {
      let isXMP = sidecar == xmp
      let limit = isXMP ? FactsReader.sidecarLimitBytes : Int64(TakeoutSidecar.limitBytes)
      if sidecar.size > limit {
        leaveOut(sidecar, Reason(.sidecarTooLarge, "it is larger than \(limit >> 20) MiB"), of: &item, &outcome)
      } else if isXMP, found.facts.hasCameraOfAnother {
        leaveOut(sidecar, Self.otherCamera, of: &item, &outcome)
        return false
      } else if !isXMP, sidecar.filename.lowercased().hasSuffix(".json"),
        let copy = try? reader.copy(sidecar, memory: nil)
      {
        let bytes = try? copy.withBytes { Array($0) }
        guard let takeout = bytes.flatMap(TakeoutSidecar.init), takeout.isOf(item.primary.filename) else {
          leaveOut(sidecar, Self.otherTitle, of: &item, &outcome)
          continue
        }
        takeout.apply(to: &found.facts, fillsGaps: xmp != nil)
      }
    }
    return true
  }

  /// The record of a new item. If a missing asset returns with it, its sidecars return too.
  func record(of item: inout StorageItem, taking strays: inout [Reconciliation.StraySidecar], _ outcome: inout Outcome)
    -> AssetRecord?
  {
    guard let record = record(of: &item, &outcome) else { return nil }
    let own = strays.filter { $0.owner?.returns(with: record) ?? false }.map(\.file)
    guard !own.isEmpty else { return record }
    strays.removeAll { own.contains($0.file) }
    for file in own { item.add(sidecar: file) }
    return self.record(of: &item, &outcome)
  }

  private func record(of item: inout StorageItem, _ outcome: inout Outcome) -> AssetRecord? {
    guard let found = look(into: &item, &outcome) else { return nil }
    return builder.record(item, facts: found.facts, proof: found.proof, companions: reader.companionProofs(item))
  }

  static let otherPhoto = Reason(
    .sidecarOfAnother, "it belongs to a photo that is missing, deleted or replaced, so no other photo has it")
  private static let otherCamera = Reason(
    .sidecarOfAnother, "it describes a photo of another camera, so the photo is shown without it")
  private static let otherTitle = Reason(
    .sidecarOfAnother, "it does not describe the photo of its name, so the photo is shown without it")

  private func leaveOut(
    _ file: ItemFile, _ reason: Reason, of item: inout StorageItem, _ outcome: inout Outcome
  ) {
    item.others.removeAll { $0 == file }
    outcome.unusable[ExactText(file.locator)] = Unusable(contentVersion: file.contentVersion, reason: reason)
    skip(file.locator, reason, &outcome)
  }
}

extension Reason.Code {
  /// Whether a photo has no such sidecar, not even for apps.
  var leavesOutSidecar: Bool { self == .sidecarOfAnother || self == .sidecarTooLarge }

  var isOfSidecar: Bool { self == .sidecarUnreadable || leavesOutSidecar }
}

extension ResourceRecord {
  /// A scanned sidecar, to search for its asset.
  init(_ file: ItemFile) {
    self.init(
      role: file.role, locator: file.locator, filename: file.filename, contentType: "", size: file.size,
      contentVersion: file.contentVersion, identityHint: file.identityHint, digest: nil)
  }
}

extension ItemFacts {
  /// Whether the sidecar names another camera than the file itself.
  fileprivate var hasCameraOfAnother: Bool {
    guard let camera, let own = own.camera, !camera.isEmpty, !own.isEmpty else { return false }
    return camera.lowercased() != own.lowercased()
  }
}
