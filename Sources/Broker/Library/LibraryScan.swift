package import Catalogue
import PhotoModel

/// The running scan of one library, and the findings of scans that are applied to the library.
package final class LibraryScan: LibraryPart {
  /// The number for the next file that leaves a hidden or never-share asset; 0: none did yet.
  private var nextDetached: Int64
  /// The first number for such a file in the running scan.
  private(set) var firstDetached: Int64
  /// Numbers of such files that the running scan found in assets.
  var claimedFiles: Set<Int64> = []
  /// New photos that the running scan may still add (``LibraryBounds``).
  package var comingPhotos = 0
  /// The number of assets when the last scan began.
  private var countAtBegin = 0
  private(set) var began: Timestamp?
  /// Marks of assets that the running scan found gone.
  var marksOfGone: [AssetNumber: AssetFlags] = [:]
  /// Assets that get the values of their files in the next scan.
  var resets: [AssetNumber: AssetReset] = [:]
  let core: LibraryCore
  private let additions: Additions
  private let trash: LibraryTrash
  private let missing: MissingAssets

  init(
    _ core: LibraryCore, nextDetached: Int64, additions: Additions, trash: LibraryTrash, missing: MissingAssets
  ) {
    self.core = core
    self.nextDetached = nextDetached
    firstDetached = nextDetached
    self.additions = additions
    self.trash = trash
    self.missing = missing
  }

  /// Begins a scan. Files that are added from now on are in ``LibraryAssets/placed``, because the
  /// scan may not see them.
  package func begin() {
    for number in resets.keys { resets[number]?.isLooked = true }
    assets.placed = []
    began = environment.now
    countAtBegin = assets.catalogue.count
  }

  /// Ends a scan whose findings are all applied.
  package func end() {
    assets.placed = nil
    began = nil
    comingPhotos = 0
    marksOfGone = [:]
    claimedFiles = []
    firstDetached = nextDetached
    // Files that could not be read.
    for (number, reset) in resets where reset.isLooked {
      resets[number] = nil
      reset.finish(false)
    }
  }

  /// Reads the missing assets that had one of these sidecars and may return; nil: the store failed.
  package func missingAssets(
    with sidecars: [ResourceRecord], completion: @escaping @Sendable ([AssetRecord]?) -> Void
  ) {
    guard !sidecars.isEmpty, !missing.losses.isEmpty else { return completion([]) }
    let now = environment.now
    store.missingAssets(of: assets.library, like: sidecars) { found in
      completion((try? found.get())?.filter { $0.mayReturn(at: now) }.map(\.record))
    }
  }

  /// Applies a batch of the indexer's findings in one commit. Completes with the numbers of
  /// inserted assets, in order.
  ///
  /// A new asset may be a missing one that returns, with its number and identifier (``MissingAsset``).
  ///
  /// A file that moves from a hidden or never-shared asset to another asset passes on the marks
  /// (R13). So does a new file that takes its place.
  ///
  /// - Parameter prior: the owners of the files when the scan compared them.
  /// - Parameter pendingImports: assets that apps are adding, to skip a scan's findings of the same
  ///   files.
  package func apply(
    _ mutations: [AssetMutation], prior: PriorFiles = PriorFiles(), pendingImports: PendingImports? = nil,
    completion: @escaping Completion<[AssetNumber]>
  ) {
    recall(nextDetached > 0 ? HiddenMarkPropagation.newFiles(mutations, prior) : [], store.detachedFiles, completion) {
      [self] remembered in
      recall(missing.losses.isEmpty ? [] : MissingAssetMatcher.originals(mutations), store.missingAssets, completion) {
        [self] candidates in apply(mutations, prior, remembered: remembered, candidates, pendingImports, completion)
      }
    }
  }

  private func recall<Remembered: Sendable>(
    _ files: [ResourceRecord],
    _ read: (LibraryName, [ResourceRecord], @escaping StoreCompletion<[Remembered]>) -> Void,
    _ completion: @escaping Completion<[AssetNumber]>, then: @escaping ([Remembered]) -> Void
  ) {
    guard !files.isEmpty else { return then([]) }
    read(assets.library, files) { remembered in
      switch remembered {
      case .success(let remembered): then(remembered)
      case .failure(let failure): completion(.failure(.failed(failure)))
      }
    }
  }

  private func apply(
    _ mutations: [AssetMutation], _ prior: PriorFiles, remembered: [DetachedFile],
    _ candidates: [MissingAsset],
    _ pendingImports: PendingImports?,
    _ completion: @escaping Completion<[AssetNumber]>
  ) {
    var numbers: [AssetNumber] = []
    content.enqueue { [self] () throws(BrokerError) -> ContentPlan in
      var plan = ContentPlan()
      var records: [AssetRecord] = []
      var removals: [AssetNumber] = []
      var lost: [AssetRow] = []
      var done: [AssetNumber] = []
      var returned: Set<AssetNumber> = []
      let returning = MissingAssetMatcher(
        mutations, among: candidates, in: assets.catalogue, at: environment.now)
      var withholding = HiddenMarkPropagation(self, prior, remembered: remembered)
      for (index, mutation) in mutations.enumerated() {
        switch mutation {
        case .insert(var record):
          // Files of unfinished requests, and files that an app has just added.
          if additions.holdBack(record) || pendingImports.map({ isKnown(record, among: $0) }) ?? false { continue }
          if let (known, row) = returning[index] {
            record = missing.returned(known, row, as: record)
            noteDifference(of: record, since: known.ofFile, in: &plan)
            returned.insert(row.number)
          } else {
            let words = environment.randomWords()
            record.row.number = try assets.takeNumber()
            record.row.identifier = AssetIdentifier(high: words.high, low: words.low)
          }
          let number = record.row.number
          record.row.flags.formUnion(withholding.marks(of: record.resources, in: number, isNew: true))
          numbers.append(number)
          records.append(record)
          plan.changes.append(.putAsset(assets.library, record))
          if returned.contains(number) { plan.changes.append(.noteMissing(assets.library, number, since: nil)) }
          if let kind = ChangeRecord.Kind.of(from: nil, to: record.row.flags) {
            plan.records.append(changes.log.makeRecord(kind, asset: (number, record.row.identifier)))
          }
        case .update(var record), .reread(var record, _, _):
          guard let known = assets.present(record.row.number), !isAddition(record, among: pendingImports) else {
            continue
          }
          // Edits since the indexer read the asset are not in its record.
          record.edited.formUnion(assets.recentEdits[known.number]?.fields ?? [])
          if let caption = assets.recentEdits[known.number]?.caption { record.caption = caption }
          let earlier = record.ofFile
          var isReread = false
          var reset: (AssetReset, before: AssetValues)?
          if case .reread(_, let caption, let isFavourite) = mutation {
            isReread = true
            reset = resets[known.number].map { ($0, AssetValues(known, caption: record.shownCaption ?? "")) }
            if reset != nil {
              (record.edited, record.caption) = ([], caption)
              record.row.setFavourite(isFavourite)
            }
            record.ofFile = FileValues(of: record, caption: caption)
          }
          record.row = known.merged(with: record, isReread: isReread)
          if let (reset, before) = reset {
            done.append(known.number)
            let after = AssetValues(record.row, caption: record.shownCaption ?? "")
            if before != after { plan.changes.append(reset.decide(ValueChange(before, after), known)) }
          }
          noteDifference(of: record, since: earlier, in: &plan)
          // The files changed without a newer time, such as by a sidecar.
          if isReread, record.row.modificationDate == known.modificationDate {
            record.row.modificationDate = max(known.modificationDate, environment.now)
          }
          let marks = withholding.marks(of: record.resources, in: known.number, isNew: false).subtracting(known.flags)
          record.row.flags.formUnion(marks)
          if !marks.isEmpty { plan.taken.append(known.number) }
          withholding.part(from: known, now: record.resources)
          records.append(record)
          plan.changes.append(.putAsset(assets.library, record))
          let kind = ChangeRecord.Kind.of(from: known.flags, to: record.row.flags) ?? .changed
          plan.records.append(changes.log.makeRecord(kind, asset: (known.number, known.identifier)))
          if kind == .shared { plan.takenFromLimited.append(known.number) }
        case .remove(let number), .lose(let number):
          guard let known = assets.present(number) else { continue }
          withholding.part(from: known, now: [])
          // An asset deleted meanwhile does not become missing.
          if case .lose = mutation, !known.flags.contains(.trashed) {
            lost.append(known)
          } else {
            removals.append(number)
            trash.remove(known, in: &plan)
          }
        }
      }
      let setMissing = missing.lose(lost, besides: returned, of: countAtBegin, in: &plan)
      let noteWithheld = withholding.finish(&plan)
      plan.apply = { [self] in
        noteWithheld()
        setMissing()
        for record in records {
          assets.catalogue.put(record.row)
          pendingImports?.note(record, addedBy: nil)
        }
        for number in done {
          assets.recentEdits[number] = nil
          resets.removeValue(forKey: number)?.finish(true)
        }
        if !returned.isEmpty { missing.losses.removeAll { returned.contains($0.asset) } }
        for number in removals { trash.forget(number) }
      }
      return plan
    } completion: {
      completion($0.map { numbers })
    }
  }

  /// Records once that a changed file differs from the asset's edits. Administrators read decisions
  /// too, so the record has no value and no field.
  private func noteDifference(of asset: AssetRecord, since earlier: FileValues, in plan: inout ContentPlan) {
    let differing = asset.ofFile.differing(from: asset.row, caption: asset.caption)
    guard asset.ofFile != earlier, differing != FileValues() else { return }
    let decision = DecisionRecord(
      time: environment.now,
      by: Decider(uid: configuration.record.owner, role: .rule, origin: "", source: .changedFile), action: "differ",
      library: assets.library, before: "", after: "asset \(asset.row.identifier)")
    plan.changes.append(.decide(decision))
  }

  /// Whether a known asset's new file is an app's addition with the same bytes, after the asset's
  /// own file disappeared. A later scan finds the asset's own file.
  private func isAddition(_ record: AssetRecord, among pendingImports: PendingImports?) -> Bool {
    if additions.postpones(record) { return true }
    guard let number = pendingImports?.number(of: record), number != record.row.number, assets.creators[number] != nil
    else {
      return false
    }
    broker.filesReleased(in: assets.library)
    return true
  }

  /// Whether a found file is an asset already, added by an app or found by another scan.
  ///
  /// A trashed asset counts only if the storage confirms the file: a scan that saw the file before
  /// it was trashed has found nothing new.
  private func isKnown(_ record: AssetRecord, among pendingImports: PendingImports) -> Bool {
    guard let number = pendingImports.number(of: record), let known = assets.present(number) else { return false }
    return !known.flags.contains(.trashed) || pendingImports.isCertain(record)
  }

  /// The asset that a scan made of an app's file before the request ended. That happens if the
  /// storage chose another place than asked. Two apps' additions are never the same file, and a
  /// trashed asset is never the file of a later addition.
  func finding(of record: AssetRecord, among pendingImports: PendingImports) -> AssetRow? {
    guard let number = pendingImports.number(of: record), assets.creators[number] == nil,
      let known = assets.present(number)
    else {
      return nil
    }
    return known.flags.contains(.trashed) ? nil : known
  }

  func takeDetachedNumber() -> Int64 {
    defer { nextDetached += 1 }
    return nextDetached
  }
}
