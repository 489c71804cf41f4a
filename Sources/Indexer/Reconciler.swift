package import Broker
import Catalogue
import PhotoModel

/// Tells which scanned item is which known asset: by what stays with a file when it moves, then by
/// its place, then by its content. Where nothing stays with files, by their places as long as they
/// are as they were there, then by their content. So a moved or renamed file keeps its identifier,
/// a file saved by renaming a new one into its place is a change of the same asset, and a copy is a
/// new one (R95).
package struct Reconciler {
  private let known: [AssetRecord]
  private let factsVersion: UInt32
  private let zone: ZoneRules
  private var byLocator: [ExactText: Int] = [:]
  /// Links to one file share what stays with it, so there can be several.
  private var byHint: [ExactText: [Int]] = [:]
  /// The video of a Live Photo is found under its asset by its own place or identity.
  private var pairedLocators: [ExactText: Int] = [:]
  private var pairedHints: [ExactText: Int] = [:]
  /// A raw file or an edited version becomes an asset of its own again when what it belongs to goes.
  private var companionLocators: [ExactText: Int] = [:]
  private var companionHints: [ExactText: Int] = [:]

  /// - Parameters:
  ///   - factsVersion: By which version of the media worker's rules files are looked into now; what
  ///     was looked into by an earlier one, or by none, is looked into again.
  ///   - zone: The library's; what was dated by another one is changed.
  package init(known: [AssetRecord], factsVersion: UInt32, zone: ZoneRules) {
    self.known = known
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

  /// Compares a whole scan.
  /// - Parameter digest: What a scanned file's bytes are known by; asked only where a file of the
  ///   same size is missing elsewhere. Nil where it cannot be read.
  package func reconcile(_ scan: [ScannedItem], digest: (ScannedItem.File, ContentProof.Kind) -> [UInt8]?)
    -> Reconciliation
  {
    var result = Reconciliation()
    var items = separated(scan)
    var owners = ownersByIdentity(items, digest)
    adoptByCompanions(items, &owners)
    let joined = joinPairedVideos(&items, owners)
    let placed = joined.union(owners.compactMap { $0 })
    matchByContent(items.indices.filter { !placed.contains($0) }, items: items, owners: &owners, digest: digest)

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

  /// What one app added and what another one added, or the owner has, are never one asset, whatever
  /// their names say: who sees the one would see the other.
  private func separated(_ scan: [ScannedItem]) -> [ScannedItem] {
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
        items.append(ScannedItem(primary: file, source: items[index].source))
      }
    }
    return items
  }

  /// Which item each known asset is: first those that are where they were, then those that moved, then those whose file
  /// was replaced in its place.
  private func ownersByIdentity(_ items: [ScannedItem], _ digest: (ScannedItem.File, ContentProof.Kind) -> [UInt8]?)
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

  /// Where nothing stays with files when they move, a name tells little: two may have changed
  /// theirs, or a row of them moved on by one. What is as it was in its place is there still; of
  /// the others, one whose bytes are another lost asset's is that.
  /// - Returns: Those of which this does not tell.
  private func followContent(
    _ unmoved: [Int], _ items: [ScannedItem], _ owners: inout [Int?],
    _ digest: (ScannedItem.File, ContentProof.Kind) -> [UInt8]?
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
      // What was only touched is not another one of the same bytes.
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

  /// Another file in the place of a trashed one is another photo: only the same file, not moved
  /// into the trash yet, is that asset.
  private func mayStandFor(_ asset: Int, _ file: ScannedItem.File) -> Bool {
    guard known[asset].row.flags.contains(.trashed) else { return true }
    return known[asset].resources.contains { $0.place == file.place && $0.contentVersion == file.contentVersion }
  }

  /// The asset in whose place a file lies, where it may be that one's.
  private func resident(_ file: ScannedItem.File, of places: [ExactText: Int]) -> Int? {
    places[file.place].flatMap { mayStandFor($0, file) ? $0 : nil }
  }

  /// What was an asset of its own has become part of a group whose photo came later, or the photo
  /// of a group went and left a raw file or an edited version: still the same asset, where no other
  /// one is.
  private func adoptByCompanions(_ items: [ScannedItem], _ owners: inout [Int?]) {
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

  /// A known asset's paired video arrives as an item of its own; it goes back under the still, where that is there too.
  /// Answers which items did.
  private func joinPairedVideos(_ items: inout [ScannedItem], _ owners: [Int?]) -> Set<Int> {
    let stills = Set(owners.compactMap { $0 })
    var videos: [Int: Int] = [:]
    for index in items.indices where !stills.contains(index) {
      let file = items[index].primary
      let byPlace = pairedLocators[file.place]
      guard let asset = file.mark.flatMap({ pairedHints[$0] }) ?? byPlace, owners[asset] != nil else { continue }
      // Of several links to one video, the one in its place.
      if videos[asset] == nil || byPlace == asset { videos[asset] = index }
    }
    for (asset, index) in videos {
      guard let still = owners[asset] else { continue }
      var video = items[index].primary
      video.role = .pairedVideo
      items[still].others.append(video)
    }
    return Set(videos.values)
  }

  /// What was deleted lies in the trash, or waits in its place: a file of the same bytes elsewhere
  /// is put there anew, by an app that replaces its photo or by the owner, and is another photo.
  private func matchByContent(
    _ unplaced: [Int], items: [ScannedItem], owners: inout [Int?],
    digest: (ScannedItem.File, ContentProof.Kind) -> [UInt8]?
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

  /// The asset that a file's bytes are those of; by their ends where these are known, since that reads less.
  private func match(
    _ candidates: [Int], _ file: ScannedItem.File, _ digest: (ScannedItem.File, ContentProof.Kind) -> [UInt8]?
  ) -> Int? {
    if let match = candidates.first(where: { hasSameHash(known[$0], file) }) { return match }
    // Hashes that differ are answer enough.
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

  /// Whether the storage's own hashes say that these are the same bytes.
  private func hasSameHash(_ asset: AssetRecord, _ file: ScannedItem.File) -> Bool {
    ItemFile.isHash(file.contentVersion)
      && asset.resources.contains {
        $0.role == .original && $0.size == file.size && $0.contentVersion == file.contentVersion
      }
  }

  private func isHashed(_ asset: AssetRecord) -> Bool {
    asset.resources.contains { $0.role == .original && ItemFile.isHash($0.contentVersion) }
  }

  private func compare(_ asset: AssetRecord, _ item: ScannedItem, into result: inout Reconciliation) {
    func fingerprint(_ role: ResourceRole, _ locator: String, _ version: String, _ hint: String?) -> [ExactText] {
      [role.rawValue, locator, version, hint ?? ""].map { ExactText($0) }
    }
    let before = Set(asset.resources.map { fingerprint($0.role, $0.locator, $0.contentVersion, $0.identityHint) })
    let now = Set(item.files.map { fingerprint($0.role, $0.locator, $0.contentVersion, $0.identityHint) })
    // A file's date that its owner took in the place of an edit: by which clock it was is not kept, and the file tells.
    let isUndated = asset.row.dateOrigin == .libraryZone && asset.row.zoneMinutes == nil && factsVersion > 0
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
  fileprivate var place: ExactText { ExactText(locator) }
  fileprivate var mark: ExactText? { identityHint.map { ExactText($0) } }
}

extension ScannedItem.File {
  fileprivate var place: ExactText { ExactText(locator) }
  fileprivate var mark: ExactText? { identityHint.map { ExactText($0) } }
}
