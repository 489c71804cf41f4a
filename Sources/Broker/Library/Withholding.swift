import Catalogue
import PhotoModel

/// Follows files between assets while a batch of a look is taken up, so that what is hidden or
/// never shared stays that wherever its files are found to belong, and so that what an editor or a
/// client saves in their place is that too (R13). It goes by the marks of this moment: the owner
/// may have made them since the look read the assets.
struct Withholding {
  private let library: LibraryState
  private let prior: PriorFiles
  private var parted: PartedFiles
  private var gone: [AssetNumber: AssetFlags] = [:]
  private let time: Timestamp
  private let placeEnds: Timestamp

  /// - Parameter remembered: Those that left before and that may be what the batch found.
  init(_ library: LibraryState, _ prior: PriorFiles, remembered: [PartedFile]) {
    self.library = library
    self.prior = prior
    parted = PartedFiles(remembered, claimed: library.claimedFiles, first: library.firstParted)
    time = library.lookBegan ?? library.environment.now
    placeEnds = library.environment.now.advanced(by: PartedFile.placeCounts)
  }

  /// Files of a batch that their assets did not have before. A sidecar alone is no photo.
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

  /// What the owner marked where files come from that an asset did not have before, or whose place they have.
  /// - Parameters:
  ///   - number: The asset's.
  ///   - isNew: Whether it is a new one.
  mutating func marks(of files: [ResourceRecord], in number: AssetNumber, isNew: Bool) -> AssetFlags {
    let own = isNew ? [] : prior.files(of: number)
    var marks: AssetFlags = []
    for file in Self.newFiles(files, in: isNew ? nil : number, prior) {
      // What moved into a place is what it was before, also where nothing but its bytes tells that.
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

  /// An asset has these files only; none: it is gone.
  mutating func part(from known: AssetRow, now: [ResourceRecord]) {
    guard !known.flags.isDisjoint(with: .withheld) else { return }
    if now.isEmpty { gone[known.number] = known.flags }
    for file in prior.files(of: known.number) where file.role != .sidecar {
      let isThere = now.contains { $0.isSameFile(as: file) }
      let isPlaceFilled = now.contains { ExactText($0.locator) == ExactText(file.locator) }
      if isThere && isPlaceFilled { continue }
      // Where it only seems to be elsewhere it may still come back, and its place is what it left for now.
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

  /// Puts what is to be kept of it into a plan, and answers what to do once it is kept.
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
  /// Whether both are one file: by what stays with it, else by its place.
  fileprivate func isSameFile(as other: ResourceRecord) -> Bool {
    if let identityHint, let hint = other.identityHint { return ExactText(identityHint) == ExactText(hint) }
    return ExactText(locator) == ExactText(other.locator)
  }
}
