package import Broker
import Catalogue
package import PhotoModel

/// Matches scanned items to known assets.
///
/// By identity hints, which stay with a moved file, then by place, then by content. Without hints:
/// by unchanged files at their places, then by content. So a moved or renamed file keeps its
/// identifier, and a file replaced by a new one of its name is a change of the asset. A copy is a
/// new asset (R95).
package struct Reconciler {
  let known: [AssetRecord]
  /// Missing assets to which sidecars of the scan may belong.
  let missing: [AssetRecord]
  /// Whether a file that the scan does not list is in its place and unchanged.
  let isThere: (ResourceRecord) -> Bool
  private let factsVersion: UInt32
  private let zone: ZoneRules
  private var byLocator: [ExactText: Int] = [:]
  /// Hard links share a hint, so there can be several assets.
  private var byHint: [ExactText: [Int]] = [:]
  /// The video of a Live Photo, found by its own place or hint.
  private var pairedLocators: [ExactText: Int] = [:]
  private var pairedHints: [ExactText: Int] = [:]
  /// A raw file or edited version becomes an asset of its own when its photo is deleted.
  private var companionLocators: [ExactText: Int] = [:]
  private var companionHints: [ExactText: Int] = [:]

  /// - Parameters:
  ///   - factsVersion: The version of the worker's present rules. Files with facts from an earlier
  ///     version, or none, are read again.
  ///   - zone: The library's zone. Assets dated by another one are changed.
  package init(
    known: [AssetRecord], missing: [AssetRecord] = [], factsVersion: UInt32, zone: ZoneRules,
    isThere: @escaping (ResourceRecord) -> Bool = { _ in false }
  ) {
    self.known = known
    self.missing = missing
    self.isThere = isThere
    self.factsVersion = factsVersion
    self.zone = zone
    for (index, asset) in known.enumerated() {
      for resource in asset.resources {
        switch resource.role {
        case .original:
          byLocator[resource.place] = index
          if let hint = resource.mark { byHint[hint, default: []].append(index) }
        case .pairedVideo:
          pairedLocators[resource.place] = index
          if let hint = resource.mark { pairedHints[hint] = index }
        case .edited, .raw:
          companionLocators[resource.place] = index
          if let hint = resource.mark { companionHints[hint] = index }
        case .sidecar: break
        }
      }
    }
  }

  /// Compares a whole scan with the known assets.
  ///
  /// - Parameter digest: Computes a scanned file's digest, nil if it cannot be read. Called only if
  ///   a file of the same size is missing elsewhere.
  package func reconcile(_ scan: [StorageItem], digest: (ItemFile, ContentProof.Kind) -> [UInt8]?)
    -> Reconciliation
  {
    var result = Reconciliation()
    var items = separated(scan)
    var owners = ownersByIdentity(items, digest)
    adoptByCompanions(items, &owners)
    let joined = joinPairedVideos(&items, owners)
    let placed = joined.union(owners.compactMap { $0 })
    matchByContent(items.indices.filter { !placed.contains($0) }, items: items, owners: &owners, digest: digest)
    result.strays = returnSidecars(&items, owners, joined: joined)

    var taken = joined
    for (asset, owner) in owners.enumerated() {
      guard let owner else {
        result.missing.append(known[asset])
        continue
      }
      taken.insert(owner)
      compare(known[asset], items[owner], into: &result)
    }
    result.new = items.indices.filter { !taken.contains($0) }.map { items[$0] }
    return result
  }

  /// Splits items whose files were added by different apps, or by an app and the owner, even if
  /// their names match. As one asset, whoever sees one file would see the other.
  private func separated(_ scan: [StorageItem]) -> [StorageItem] {
    var items = scan
    for index in items.indices where !items[index].others.isEmpty {
      guard let asset = byLocator[items[index].primary.place] else { continue }
      let strangers = items[index].others.filter { file in
        file.role != .sidecar
          && byLocator[file.place].map { $0 != asset && known[$0].creator != known[asset].creator } ?? false
      }
      guard !strangers.isEmpty else { continue }
      items[index].others.removeAll { strangers.contains($0) }
      for var file in strangers {
        file.role = .original
        items.append(StorageItem(primary: file, source: items[index].source))
      }
    }
    return items
  }

  /// Finds each known asset's item: unmoved ones, then moved ones, then those whose file was
  /// replaced.
  private func ownersByIdentity(_ items: [StorageItem], _ digest: (ItemFile, ContentProof.Kind) -> [UInt8]?)
    -> [Int?]
  {
    var owners = [Int?](repeating: nil, count: known.count)
    var rest: [Int] = []
    for (index, item) in items.enumerated() {
      if let hint = item.primary.mark, let asset = byLocator[item.primary.place], owners[asset] == nil,
        byHint[hint]?.contains(asset) ?? false
      {
        owners[asset] = index
      } else {
        rest.append(index)
      }
    }
    var unmoved: [Int] = []
    for index in rest {
      let candidates = items[index].primary.mark.flatMap { byHint[$0] } ?? []
      if let asset = candidates.first(where: { owners[$0] == nil }) {
        owners[asset] = index
      } else {
        unmoved.append(index)
      }
    }
    let places = followContent(unmoved, items, &owners, digest)
    for index in places {
      let file = items[index].primary
      if let asset = resident(file, of: byLocator), owners[asset] == nil { owners[asset] = index }
    }
    return owners
  }

  /// Without hints a name proves little: files may have swapped names, or a whole series moved on
  /// by one. An unchanged file at its place is the same asset. Another file with a missing asset's
  /// bytes is that asset.
  ///
  /// - Returns: The items left undecided.
  private func followContent(
    _ unmoved: [Int], _ items: [StorageItem], _ owners: inout [Int?],
    _ digest: (ItemFile, ContentProof.Kind) -> [UInt8]?
  ) -> [Int] {
    var (others, altered): ([Int], [Int]) = ([], [])
    for index in unmoved {
      let file = items[index].primary
      guard file.mark == nil, let asset = byLocator[file.place], owners[asset] == nil else {
        others.append(index)
        continue
      }
      if original(asset)?.contentVersion == file.contentVersion { owners[asset] = index } else { altered.append(index) }
    }
    guard !altered.isEmpty else { return others }
    let lost = Dictionary(
      grouping: known.indices.filter { owners[$0] == nil && !known[$0].row.flags.contains(.trashed) }
    ) {
      original($0)?.size
    }
    for index in altered {
      let file = items[index].primary
      let place = byLocator[file.place]
      let candidates = (lost[file.size] ?? []).filter { owners[$0] == nil }
      // A file that was only touched must not match another asset with the same bytes.
      let ordered = candidates.filter { $0 == place } + candidates.filter { $0 != place }
      if ordered.contains(where: { $0 != place }), let match = match(ordered, file, digest) {
        owners[match] = index
      } else {
        others.append(index)
      }
    }
    return others
  }

  private func original(_ asset: Int) -> ResourceRecord? { known[asset].resources.first { $0.role == .original } }

  /// A different file at a trashed asset's place is another photo. Only the same file, not yet
  /// moved into the trash, is that asset.
  private func mayStandFor(_ asset: Int, _ file: ItemFile) -> Bool {
    guard known[asset].row.flags.contains(.trashed) else { return true }
    return known[asset].resources.contains { $0.place == file.place && $0.contentVersion == file.contentVersion }
  }

  /// The asset known at a file's place, if the file may be its own.
  private func resident(_ file: ItemFile, of places: [ExactText: Int]) -> Int? {
    places[file.place].flatMap { mayStandFor($0, file) ? $0 : nil }
  }

  /// Matches items that contain a known asset as a companion, because their photo came later, and
  /// items that were companions of a deleted photo. They are the same asset unless another item is.
  private func adoptByCompanions(_ items: [StorageItem], _ owners: inout [Int?]) {
    let owned = Set(owners.compactMap { $0 })
    for index in items.indices where !owned.contains(index) {
      let item = items[index]
      let grown = item.others.lazy.filter { $0.role == .raw || $0.role == .edited }
        .compactMap { file in file.mark.flatMap { byHint[$0]?.first } ?? resident(file, of: byLocator) }
      let left = item.primary.mark.flatMap { companionHints[$0] } ?? resident(item.primary, of: companionLocators)
      if let asset = (Array(grown) + [left].compactMap { $0 }).first(where: { owners[$0] == nil }) {
        owners[asset] = index
      }
    }
  }

  /// Moves a known asset's paired video from an item of its own back to its still, if that is in the
  /// same folder and the video is unchanged. The content of all others decides (`LivePairs`).
  /// Returns the joined items.
  private func joinPairedVideos(_ items: inout [StorageItem], _ owners: [Int?]) -> Set<Int> {
    let stills = Set(owners.compactMap { $0 })
    var videos: [Int: Int] = [:]
    for index in items.indices where !stills.contains(index) {
      let file = items[index].primary
      let byPlace = pairedLocators[file.place]
      guard let asset = file.mark.flatMap({ pairedHints[$0] }) ?? byPlace, let still = owners[asset],
        StorageFolder(of: items[still].primary.locator) == StorageFolder(of: file.locator),
        known[asset].resources.contains(where: {
          $0.role == .pairedVideo && ExactText($0.contentVersion) == ExactText(file.contentVersion)
        })
      else { continue }
      // Among several links to one video, the one at its known place wins.
      if videos[asset] == nil || byPlace == asset { videos[asset] = index }
    }
    for (asset, index) in videos {
      guard let still = owners[asset] else { continue }
      var video = items[index].primary
      video.role = .pairedVideo
      items[still].others += [video] + items[index].others.filter { $0.role == .sidecar }
    }
    return Set(videos.values)
  }

  /// Trashed assets are excluded. A file with the same bytes elsewhere was added again, by an app
  /// that replaces its photo or by the owner, and is another photo.
  private func matchByContent(
    _ unplaced: [Int], items: [StorageItem], owners: inout [Int?],
    digest: (ItemFile, ContentProof.Kind) -> [UInt8]?
  ) {
    var missing: [Int64: [Int]] = [:]
    for (asset, owner) in owners.enumerated() where owner == nil && !known[asset].row.flags.contains(.trashed) {
      guard let original = known[asset].resources.first(where: { $0.role == .original }),
        original.digest != nil || original.endsDigest != nil || ItemFile.isHash(original.contentVersion)
      else { continue }
      missing[original.size, default: []].append(asset)
    }
    guard !missing.isEmpty else { return }
    for index in unplaced {
      let file = items[index].primary
      let candidates = (missing[file.size] ?? []).filter { owners[$0] == nil }
      if let match = match(candidates, file, digest) { owners[match] = index }
    }
  }

  /// The asset with a file's bytes. Digests of both ends are preferred, because they need less
  /// reading.
  private func match(
    _ candidates: [Int], _ file: ItemFile, _ digest: (ItemFile, ContentProof.Kind) -> [UInt8]?
  ) -> Int? {
    if let match = candidates.first(where: { hasSameHash(known[$0], file) }) { return match }
    // Different hashes rule out equal bytes.
    let candidates = candidates.filter { !ItemFile.isHash(file.contentVersion) || !isHashed(known[$0]) }
    let byEnds = candidates.filter { original($0)?.endsDigest != nil }
    if !byEnds.isEmpty, let found = digest(file, .endsDigest),
      let match = byEnds.first(where: { original($0)?.endsDigest == found })
    {
      return match
    }
    let byAll = candidates.filter { original($0)?.endsDigest == nil && original($0)?.digest != nil }
    guard !byAll.isEmpty, let found = digest(file, .digest) else { return nil }
    return byAll.first { original($0)?.digest == found }
  }

  /// Whether the storage's hashes prove equal bytes.
  private func hasSameHash(_ asset: AssetRecord, _ file: ItemFile) -> Bool {
    ItemFile.isHash(file.contentVersion)
      && asset.resources.contains {
        $0.role == .original && $0.size == file.size && $0.contentVersion == file.contentVersion
      }
  }

  private func isHashed(_ asset: AssetRecord) -> Bool {
    asset.resources.contains { $0.role == .original && ItemFile.isHash($0.contentVersion) }
  }

  private func compare(_ asset: AssetRecord, _ item: StorageItem, into result: inout Reconciliation) {
    // A trashed asset's files leave one after the other. Its record keeps all for a restore.
    guard !asset.row.flags.contains(.trashed) || item.files.count >= asset.resources.count else {
      result.unchanged += 1
      return
    }
    func fingerprint(_ role: ResourceRole, _ locator: String, _ version: String, _ hint: String?) -> [ExactText] {
      [role.rawValue, locator, version, hint ?? ""].map { ExactText($0) }
    }
    let before = Set(asset.resources.map { fingerprint($0.role, $0.locator, $0.contentVersion, $0.identityHint) })
    let now = Set(item.files.map { fingerprint($0.role, $0.locator, $0.contentVersion, $0.identityHint) })
    // The owner may have taken the file's date in place of an edit. Its zone was not kept, so the
    // file must be read again.
    let origin = asset.row.dateOrigin
    let isLocal = origin == .libraryZone || origin == .partial || origin == .place
    let isUndated = isLocal && asset.row.zoneMinutes == nil && factsVersion > 0
    let isOutdated = asset.factsVersion < factsVersion || isUndated
    guard before != now || asset.row.sourceType != item.source || isOutdated || zone.redating(asset.row) != nil else {
      result.unchanged += 1
      return
    }
    let contents = Set(asset.resources.map { [ExactText($0.role.rawValue), ExactText($0.contentVersion)] })
    let needsFacts =
      isOutdated || contents != Set(item.files.map { [ExactText($0.role.rawValue), ExactText($0.contentVersion)] })
    result.changed.append(.init(known: asset, item: item, needsFacts: needsFacts))
  }
}

extension ResourceRecord {
  var place: ExactText { ExactText(locator) }
  var mark: ExactText? { identityHint.map { ExactText($0) } }
}

extension ItemFile {
  var place: ExactText { ExactText(locator) }
  var mark: ExactText? { identityHint.map { ExactText($0) } }
}
