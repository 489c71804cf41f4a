package import Catalogue
import PhotoModel

extension LibraryState {
  /// Carries out an app's change request in one commit: all steps or none.
  /// - Parameters:
  ///   - created: the stored files for the steps that create assets, in order; nil in a dry run.
  ///   - refusal: the reason why the request is no longer allowed, if any. It is called when the
  ///     request runs, so that an earlier revocation wins.
  package func perform(
    _ steps: [ChangeStep], grant: GrantState, attenuation: Attenuation?, dryRun: Bool, created: CreatedAssets? = nil,
    refusal: @escaping () -> BrokerError?, completion: @escaping Completion<ChangeOutcome>
  ) {
    let completion = { [self] (result: Result<ChangeOutcome, BrokerError>) in
      if let created { additions.finishSettling(created.additions, isKept: (try? result.get()) != nil) }
      completion(result)
    }
    guard !dryRun, steps.contains(where: \.setsCaption) else {
      return carryOut(steps, grant, attenuation, dryRun: dryRun, created, refusal) { completion($0.map(\.outcome)) }
    }
    // Repeating a caption is no change, and only the store knows the captions. A dry run finds the
    // assets to read.
    carryOut(steps, grant, attenuation, dryRun: true, nil, refusal) { [self] planned in
      planned.orFail(completion) { planned in
        readCaptions(of: planned.captioned) { [self] captions in
          captions.orFail(completion) { captions in
            carryOut(steps, grant, attenuation, dryRun: false, created, captions: captions, refusal) {
              completion($0.map(\.outcome))
            }
          }
        }
      }
    }
  }

  /// Reads the stored captions of assets, because the catalogue has none.
  package func readCaptions(of assets: [AssetNumber], _ completion: @escaping Completion<[AssetNumber: String]>) {
    guard !assets.isEmpty else { return completion(.success([:])) }
    store.captions(of: assets, in: record.name) { result in
      completion(result.mapError { .failed($0) })
    }
  }

  private struct CarriedOut {
    var outcome = ChangeOutcome()
    /// Assets whose captions it sets and whose present captions are not in memory.
    var captioned: [AssetNumber] = []
  }

  private func carryOut(
    _ steps: [ChangeStep], _ grant: GrantState, _ attenuation: Attenuation?, dryRun: Bool, _ created: CreatedAssets?,
    captions: [AssetNumber: String] = [:], _ refusal: @escaping () -> BrokerError?,
    completion: @escaping Completion<CarriedOut>
  ) {
    var carried = CarriedOut()
    var planning: RequestPlanning?
    let deletes = steps.contains(where: \.deletesAssets)
    content.enqueue { [self] () throws(BrokerError) -> ContentPlan? in
      // Access may end between two pieces; the request must not change assets that it lost.
      if let refusal = refusal() { throw refusal }
      // Checked before any asset, so that the refusal does not reveal whether assets exist.
      if !record.appsDelete, deletes { throw BrokerError.deletionsRefused() }
      if planning?.epoch != grant.record.epoch {
        planning = try RequestPlanning(steps, library: self, grant: grant, attenuation: attenuation, captions: captions)
      }
      if planning?.isPlanned != true {
        guard try planning?.takeStep() ?? true else { return nil }
      }
      guard let planner = planning?.planner else { return ContentPlan() }
      carried.outcome = planner.outcome
      guard !dryRun else {
        carried.captioned = planner.captions.keys.filter { assets.recentEdits[$0]?.caption == nil }
        return ContentPlan()
      }
      guard planner.creations.count == created?.records.count ?? 0 else {
        throw .failed(.notKept, "Parts of the request did not arrive; send it again.")
      }
      guard planning?.takeRows() ?? true else { return nil }
      defer { planning = nil }
      return try planning.map { planning throws(BrokerError) in try finish(planning, created) }
    } completion: {
      completion($0.map { carried })
    }
  }

  private func finish(_ planning: RequestPlanning, _ created: CreatedAssets?) throws(BrokerError) -> ContentPlan {
    let planner = planning.planner
    var plan = planning.plan
    let albumEdits = planner.albumEdits()
    let decisions = try decisions(
      on: albumEdits.map { (albums[$0.identifier], $0.album) }, by: planner.grant.record.key.app)
    let creation = created.map { take(planner.creations, $0, by: planning.changer, into: &plan) }
    plan.changes += decisions
    for (identifier, album) in albumEdits {
      if let album {
        plan.changes.append(.putAlbum(record.name, album))
      } else {
        plan.changes.append(.removeAlbum(record.name, identifier))
      }
      plan.records.append(changes.log.makeRecord(.album, album: identifier))
    }
    let (edits, captions, deletion) = (planner.edits, planner.captions, planning.deletion)
    plan.didPut = { [self] row in
      if row.flags.contains(.trashed) {
        trash.awaiting.insert(row.number)
        trash.deletions[row.number] = deletion
      }
      if let fields = edits[row.number] { assets.noteEdit(of: row.number, fields, caption: captions[row.number]) }
    }
    plan.apply = { [self] in
      creation?()
      for edit in albumEdits { albums[edit.identifier] = edit.album }
    }
    return plan
  }

  /// Decisions that record an app's edits of albums, so that the owner sees them and can undo them
  /// (R131, R152). If a shared album shows less afterwards, they include the mark
  /// of a restriction.
  private func decisions(on edits: [(before: AlbumRecord?, after: AlbumRecord?)], by app: AppIdentifier)
    throws(BrokerError)
    -> [StoreChange]
  {
    let changes = edits.compactMap { before, after -> (DecisionChange, before: String, after: String)? in
      guard let change = DecisionChange.album(from: before, to: after), !change.isEmpty else { return nil }
      return (change, AdminAlbums.words(before, in: self), AdminAlbums.words(after, in: self))
    }
    let foreign = changes.lazy.map(\.0).filter { !$0.isOfOwn(app) }
    if !foreign.isEmpty {
      try broker.noteAlbumChanges(by: app, count: foreign.count, takings: foreign.count { $0.takesAway })
    }
    // Also for the app's own albums, which other apps may see.
    let takesAway = edits.contains { AlbumRecord.takesAway(from: $0.before, to: $0.after) }
    let mark = takesAway ? [broker.narrowingMark()] : []
    guard let decider = broker.changer(app) else { return mark }
    return changes.map { change, before, after in
      .decide(
        DecisionRecord(
          time: environment.now, by: decider, action: "album", library: record.name, app: app, before: before,
          after: after),
        change: change)
    } + mark
  }
}
