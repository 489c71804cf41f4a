import Catalogue
import PhotoModel

/// Copies hidden and never-share marks from asset to asset while a batch of a scan is applied (R13).
/// If a file of a marked asset moves to another asset, that asset gets the marks. So does a new file
/// at the former place, such as an editor's version. The marks are the present ones, because the
/// owner may have changed them since the scan read the assets.
struct HiddenMarkPropagation {
  private let scan: LibraryScan
  private let prior: PriorFiles
  private var detached: DetachedFiles
  private var gone: [AssetNumber: AssetFlags] = [:]
  private let time: Timestamp
  private let placeEnds: Timestamp

  /// - Parameter remembered: files that left marked assets earlier and that the batch's files
  ///   resemble.
  init(_ scan: LibraryScan, _ prior: PriorFiles, remembered: [DetachedFile]) {
    self.scan = scan
    self.prior = prior
    detached = DetachedFiles(remembered, claimed: scan.claimedFiles, first: scan.firstDetached)
    time = scan.began ?? scan.environment.now
    placeEnds = scan.environment.now.advanced(by: DetachedFile.placeCounts)
  }

  /// Files of a batch that their assets did not have before, except sidecars.
  static func newFiles(_ mutations: [AssetMutation], _ prior: PriorFiles) -> [ResourceRecord] {
    mutations.flatMap { mutation -> [ResourceRecord] in
      switch mutation {
      case .insert(let record): newFiles(record.resources, in: nil, prior)
      case .update(let record), .reread(let record, _, _): newFiles(record.resources, in: record.row.number, prior)
      case .remove, .lose: []
      }
    }
  }

  private static func newFiles(_ files: [ResourceRecord], in known: AssetNumber?, _ prior: PriorFiles)
    -> [ResourceRecord]
  {
    let own = known.map { prior.files(of: $0) } ?? []
    return files.filter { file in file.role != .sidecar && !own.contains { $0.isSameFile(as: file) } }
  }

  /// The marks that an asset inherits with its new files: those of each file's former asset, and
  /// those of the photo that had the file's place before.
  /// - Parameters:
  ///   - number: the asset's number.
  ///   - isNew: whether the asset is new.
  mutating func marks(of files: [ResourceRecord], in number: AssetNumber, isNew: Bool) -> AssetFlags {
    let own = isNew ? [] : prior.files(of: number)
    var marks: AssetFlags = []
    for file in Self.newFiles(files, in: isNew ? nil : number, prior) {
      // An asset's own file that moved here is not the photo that had this place before. The bytes
      // suffice to recognize it.
      let isOwn = own.contains { $0.hasSameBytes(as: file) }
      for asset in prior.assets(knownBy: file) + (isOwn ? [] : prior.assets(at: file.locator)) where asset != number {
        marks.formUnion(scan.assets.catalogue.row(of: asset)?.flags ?? scan.marksOfGone[asset] ?? [])
      }
      let found = detached.find(file)
      let placed = isOwn ? [] : detached.find(at: file.locator, since: time)
      for left in (found.entries + placed).map({ detached[$0] }) {
        marks.formUnion(left.asset.flatMap { scan.assets.catalogue.row(of: $0)?.flags } ?? left.marks)
      }
      detached.claim(found.claims, by: number, at: file.locator, until: placeEnds)
      detached.fillPlace(placed)
    }
    return marks.intersection(.withheld)
  }

  /// Records the files that a marked asset lost as detached files.
  /// - Parameter now: the asset's present files; empty if it is gone.
  mutating func part(from known: AssetRow, now: [ResourceRecord]) {
    guard !known.flags.isDisjoint(with: .withheld) else { return }
    if now.isEmpty { gone[known.number] = known.flags }
    for file in prior.files(of: known.number) where file.role != .sidecar {
      let isThere = now.contains { $0.isSameFile(as: file) }
      let isPlaceFilled = now.contains { ExactText($0.locator) == ExactText(file.locator) }
      if isThere && isPlaceFilled { continue }
      // The file seems to have moved. A new file at its former place gets the marks for a while only.
      let seemsThere =
        prior.isSeenElsewhere(file)
        || now.contains { ($0.identityHint ?? file.identityHint) == nil && $0.hasSameBytes(as: file) }
      var left = DetachedFile(
        file, number: scan.takeDetachedNumber(), asset: known.number, marks: known.flags, isMissing: !isThere,
        placeEnds: isThere || seemsThere ? placeEnds : nil)
      if isPlaceFilled { left.place = nil }
      detached.note(left)
    }
  }

  /// Adds the changes to a plan, and returns the work to do after the commit.
  mutating func finish(_ plan: inout ContentPlan) -> () -> Void {
    let (scan, claimed, gone) = (scan, detached.claimed, gone)
    let altered = detached.toKeep
    if !altered.isEmpty {
      plan.changes += altered.map { .putDetached(scan.assets.library, $0) }
      plan.changes.append(.forgetDetached(scan.assets.library, placesEndedBefore: time))
    }
    return {
      scan.claimedFiles = claimed
      scan.marksOfGone.merge(gone) { $1 }
    }
  }
}

extension ResourceRecord {
  /// Whether both are the same file, by identity, or by place if one has no identity.
  fileprivate func isSameFile(as other: ResourceRecord) -> Bool {
    if let identityHint, let hint = other.identityHint { return ExactText(identityHint) == ExactText(hint) }
    return ExactText(locator) == ExactText(other.locator)
  }
}
