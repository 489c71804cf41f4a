import Catalogue
import PhotoModel

/// Passes on the hidden and never-share marks with files while a batch of a scan is applied (R13).
/// An asset to which a marked file moves gets the marks, and so does a new file in its place, such
/// as an editor's. It uses the present marks, because the owner may have changed them since the
/// scan read the assets.
struct Withholding {
  private let library: LibraryState
  private let prior: PriorFiles
  private var parted: PartedFiles
  private var gone: [AssetNumber: AssetFlags] = [:]
  private let time: Timestamp
  private let placeEnds: Timestamp

  /// - Parameter remembered: files that left marked assets earlier and that the batch's files
  ///   resemble.
  init(_ library: LibraryState, _ prior: PriorFiles, remembered: [PartedFile]) {
    self.library = library
    self.prior = prior
    parted = PartedFiles(remembered, claimed: library.claimedFiles, first: library.firstParted)
    time = library.lookBegan ?? library.environment.now
    placeEnds = library.environment.now.advanced(by: PartedFile.placeCounts)
  }

  /// Files of a batch that their assets did not have before, except sidecars.
  static func newFiles(_ mutations: [AssetMutation], _ prior: PriorFiles) -> [ResourceRecord] {
    mutations.flatMap { mutation -> [ResourceRecord] in
      switch mutation {
      case .insert(let record): newFiles(record.resources, in: nil, prior)
      case .update(let record), .reread(let record, _): newFiles(record.resources, in: record.row.number, prior)
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

  /// The marks that an asset gets from its new files: from the assets that they left, and from
  /// those whose place they took.
  /// - Parameters:
  ///   - number: the asset's number.
  ///   - isNew: whether the asset is new.
  mutating func marks(of files: [ResourceRecord], in number: AssetNumber, isNew: Bool) -> AssetFlags {
    let own = isNew ? [] : prior.files(of: number)
    var marks: AssetFlags = []
    for file in Self.newFiles(files, in: isNew ? nil : number, prior) {
      // A file that moved into a place is its own photo, even if only its bytes tell.
      let isOwn = own.contains { $0.hasSameBytes(as: file) }
      for asset in prior.assets(knownBy: file) + (isOwn ? [] : prior.assets(at: file.locator)) where asset != number {
        marks.formUnion(library.catalogue.row(of: asset)?.flags ?? library.marksOfGone[asset] ?? [])
      }
      let found = parted.find(file)
      let placed = isOwn ? [] : parted.find(at: file.locator, since: time)
      for left in (found.entries + placed).map({ parted[$0] }) {
        marks.formUnion(left.asset.flatMap { library.catalogue.row(of: $0)?.flags } ?? left.marks)
      }
      parted.claim(found.claims, by: number, at: file.locator, until: placeEnds)
      parted.fillPlace(placed)
    }
    return marks.intersection(.withheld)
  }

  /// Notes the files that left a marked asset.
  /// - Parameter now: the asset's present files; empty if it is gone.
  mutating func part(from known: AssetRow, now: [ResourceRecord]) {
    guard !known.flags.isDisjoint(with: .withheld) else { return }
    if now.isEmpty { gone[known.number] = known.flags }
    for file in prior.files(of: known.number) where file.role != .sidecar {
      let isThere = now.contains { $0.isSameFile(as: file) }
      let isPlaceFilled = now.contains { ExactText($0.locator) == ExactText(file.locator) }
      if isThere && isPlaceFilled { continue }
      // It seems to be elsewhere and may return, so its place counts for a while.
      let seemsThere =
        prior.isSeenElsewhere(file)
        || now.contains { ($0.identityHint ?? file.identityHint) == nil && $0.hasSameBytes(as: file) }
      var left = PartedFile(
        file, number: library.takePartedNumber(), asset: known.number, marks: known.flags, isMissing: !isThere,
        placeEnds: isThere || seemsThere ? placeEnds : nil)
      if isPlaceFilled { left.place = nil }
      parted.note(left)
    }
  }

  /// Adds the changes to a plan, and returns the work to do after the commit.
  mutating func finish(_ plan: inout LibraryState.Plan) -> () -> Void {
    let (library, claimed, gone) = (library, parted.claimed, gone)
    let altered = parted.toKeep
    if !altered.isEmpty {
      plan.changes += altered.map { .putParted(library.record.name, $0) }
      plan.changes.append(.forgetParted(library.record.name, placesEndedBefore: time))
    }
    return {
      library.claimedFiles = claimed
      library.marksOfGone.merge(gone) { $1 }
    }
  }
}

extension ResourceRecord {
  /// Whether both are the same file, by identity, else by place.
  fileprivate func isSameFile(as other: ResourceRecord) -> Bool {
    if let identityHint, let hint = other.identityHint { return ExactText(identityHint) == ExactText(hint) }
    return ExactText(locator) == ExactText(other.locator)
  }
}
