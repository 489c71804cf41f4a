import Catalogue
import PhotoModel
import Proofs

/// Carries out edits of grants.
///
/// Restrictions are in force when `submit` returns, before the commit; extensions after the commit.
/// The edits of one grant are committed one after the other, so that a failed edit has no effect on
/// the next ones.
final class GrantEditor {
  private let store: any Store
  private let environment: any Environment
  private var epochs: EpochCounter
  unowned var delegate: (any BrokerDelegate)?
  /// Further changes for an edit's commit: prompts and tokens that it settles.
  var alongside: (_ grant: GrantState, _ before: GrantRecord, _ after: GrantRecord) -> [StoreChange] = { _, _, _ in [] }
  /// Called after an edit is over, before its completion.
  var didSettle: (GrantState) -> Void = { _ in }
  /// Called after a person has chosen a grant's photos.
  var didChoose: (GrantKey) -> Void = { _ in }

  init(store: any Store, environment: any Environment, epochs: EpochCounter) {
    self.store = store
    self.environment = environment
    self.epochs = epochs
  }

  var latestEpoch: UInt64 { epochs.latest }
  func nextEpoch() -> UInt64 { epochs.next() }

  /// Carries out an edit. `completion` is called after the commit or its failure.
  func submit(_ edit: GrantEdit, on grant: GrantState, in library: LibraryState) {
    guard !grant.isRemoved else { return edit.completion(.failure(.grantGone())) }
    do throws(BrokerError) { try checkMarks(edit, on: grant, in: library) } catch {
      return edit.completion(.failure(error))
    }
    grant.edits.append(edit)
    narrow(grant, by: edit, in: library)
    if grant.edits.count == 1 { return commitFirst(of: grant, in: library) }
    hold(grant, in: library)
  }

  /// - Throws: `refused` for an edit that gives access before an owner confirms the library's marks.
  func checkMarks(_ edit: GrantEdit, on grant: GrantState, in library: LibraryState) throws(BrokerError) {
    guard library.marks.areUnknown else { return }
    var target = grant.record
    edit.change(&target)
    if target.status.grantsAccess, !target.isPaused { throw .unknownMarks() }
  }

  /// Makes all replies prepared under this grant stale, because assets became invisible.
  /// - Parameter narrowed: the attachments of attenuated tokens that showed any of the assets; nil:
  ///   all. The holders of other attenuated tokens must not notice the restriction.
  func invalidate(_ grant: GrantState, narrowed: [Attachment]? = nil) -> NarrowingEffect {
    grant.record.epoch = epochs.next()
    return invalidate(narrowed ?? grant.narrowedAttachments, of: grant, at: grant.record.epoch)
  }

  /// Makes the replies to holders of attenuated tokens stale, and no others.
  func invalidate(_ attachments: [Attachment], of grant: GrantState, at epoch: UInt64) -> NarrowingEffect {
    for attachment in attachments where !Proof.epochOfNarrowedTokens.isMade { attachment.invalidate(at: epoch) }
    return delegate?.grantNarrowed(grant) ?? NarrowingEffect()
  }

  func end(_ grant: GrantState, in library: LibraryState) -> NarrowingEffect {
    let showed = grant.record.status.grantsAccess
    grant.isRemoved = true
    var record = grant.record
    record.status = .notDetermined
    grant.put(record, at: library.changes.presentSequence, environment)
    grant.albums = .none
    grant.selection = library.catalogue.emptySelection()
    grant.planned = grant.selection
    let effect = invalidate(grant)
    library.live.note(grant)
    if showed { library.changes.grantDidChange(grant) }
    return effect
  }

  // MARK: At once

  private func narrow(_ grant: GrantState, by edit: GrantEdit, in library: LibraryState) {
    let catalogue = library.catalogue
    var target = grant.record
    edit.change(&target)
    if target.status == .notDetermined, !edit.keepsSelection { edit.selection = .clear }
    let inForce = grant.record.narrowed(to: target)
    let held =
      switch edit.selection {
      case .none: catalogue.emptySelection()
      case .edit(_, let removing): widened(edit, removing, of: grant, in: catalogue)
      case .replace(let kept): catalogue.difference(catalogue.union(grant.planned, grant.selection), kept)
      case .clear: catalogue.union(grant.planned, grant.selection)
      }
    edit.held = held
    let taken = catalogue.intersection(grant.selection, held)
    let takesAssets = catalogue.count(of: taken) > 0
    if !catalogue.isEmpty(taken) {
      grant.selection = catalogue.difference(grant.selection, taken)
      // Even if no visible asset changes, an older copy of the database must be recognized as old
      // (R144).
      edit.narrows = true
      if !takesAssets { _ = epochs.next() }
    }
    guard takesAssets || !inForce.hasRights(of: grant.record) else { return }
    let narrowed = inForce.hasRights(of: grant.record) ? grant.attachments(showing: taken, of: catalogue) : nil
    let before = grant.record
    let albums = library.albums.rights(of: grant)
    grant.put(inForce, at: library.changes.presentSequence, environment)
    if inForce.policyInForce != before.policyInForce || inForce.status != before.status {
      grant.albums = .none
      // Announced here: the policy's next answer is compared with this state and would be no
      // difference (R137).
      if albums != library.albums.rights(of: grant) { library.changes.grantDidChange(grant) }
    }
    edit.narrows = true
    // A future end restricts nothing yet. An asset that leaves the selection of a fully authorized
    // app stays visible to it.
    let losesAssets = takesAssets && target.status != .authorized
    edit.tookAccess = before.status.grantsAccess && (losesAssets || !inForce.hasRights(of: before, untilItEnds: true))
    let effect = invalidate(grant, narrowed: narrowed)
    // Without access before, the app lost only a token that gave nothing.
    if edit.tookAccess { edit.effect = effect }
    announce(grant, since: before, in: library)
  }

  /// The assets that an edit deselects. An owner who deselects all that they see deselects the
  /// missing ones as well.
  private func widened(_ edit: GrantEdit, _ removing: Selection, of grant: GrantState, in catalogue: Catalogue)
    -> Selection
  {
    guard edit.undoes == nil, case .edit(let adding, _) = edit.selection,
      catalogue.count(of: catalogue.intersection(grant.planned, removing)) > 0,
      catalogue.count(of: catalogue.difference(catalogue.union(grant.planned, adding), removing)) == 0
    else { return removing }
    let all = catalogue.union(grant.planned, removing)
    edit.selection = .edit(adding: adding, removing: all)
    return all
  }

  // MARK: To the disk

  /// Submits a batch: at most one edit of each grant, no removed grants, and no edit that
  /// ``checkMarks(_:on:in:)`` refuses.
  func submit(_ batch: GrantBatch) {
    for member in batch.members { member.grant.edits.append(member.edit) }
    for member in batch.members { narrow(member.grant, by: member.edit, in: member.library) }
    for member in batch.members {
      if member.grant.edits.count == 1 {
        commitFirst(of: member.grant, in: member.library)
      } else {
        hold(member.grant, in: member.library)
      }
    }
  }

  private struct Prepared {
    let edit: GrantEdit
    let grant: GrantState
    let library: LibraryState
    let target: GrantRecord
    let selection: SelectionEdit?
    let changes: [StoreChange]
    let number: DecisionNumber
  }

  private func commitFirst(of grant: GrantState, in library: LibraryState) {
    guard let edit = grant.edits.first else { return }
    guard !grant.isRemoved else { return abandonAll(grant) }
    if let batch = edit.batch {
      if batch.takeReady() { commit(batch) }
      return
    }
    if changesNothing(edit, of: grant, in: library) || restates(edit, of: grant, in: library) {
      return finish(edit, of: grant, in: library, target: grant.settled, selection: nil, failure: nil)
    }
    commit([prepare(edit, of: grant, in: library)])
  }

  /// Whether an edit of only the selection leaves it unchanged, and so is no decision. Judged on
  /// the state after earlier edits.
  private func changesNothing(_ edit: GrantEdit, of grant: GrantState, in library: LibraryState) -> Bool {
    guard edit.isOfSelectionOnly, !edit.narrows, !grant.isSelectionUnsaved,
      case .edit(let adding, let removing) = edit.selection
    else {
      return false
    }
    let catalogue = library.catalogue
    guard catalogue.isEmpty(catalogue.intersection(removing, grant.planned)) else { return false }
    return library.assets.selectable(catalogue.difference(catalogue.difference(adding, removing), grant.planned))
      .isEmpty
  }

  private func commit(_ batch: GrantBatch) {
    guard batch.members.allSatisfy({ !$0.grant.isRemoved }) else {
      // One of the apps or libraries was removed meanwhile, so the batch fails as a whole.
      let failure = StoreFailure(.refused, "An app or a library was removed meanwhile; list the grants, and try again.")
      for member in batch.members where member.grant.isRemoved { abandon(member.edit, of: member.grant) }
      for member in batch.members where !member.grant.isRemoved {
        finish(
          member.edit, of: member.grant, in: member.library, target: member.grant.settled, selection: nil,
          failure: failure)
      }
      return
    }
    let (restated, others) = batch.members.reduce(into: ([GrantBatch.Member](), [GrantBatch.Member]())) {
      split, member in
      if restates(member.edit, of: member.grant, in: member.library) {
        split.0.append(member)
      } else {
        split.1.append(member)
      }
    }
    let finishRestated = { [self] in
      for member in restated {
        finish(
          member.edit, of: member.grant, in: member.library, target: member.grant.settled, selection: nil, failure: nil)
      }
    }
    if others.isEmpty, batch.alongside.isEmpty { return finishRestated() }
    commit(
      others.map { prepare($0.edit, of: $0.grant, in: $0.library) }, alongside: batch.alongside,
      thereafter: finishRestated)
  }

  /// Whether an edit repeats settings that are in force and stored, and so is no decision. An owner
  /// who repeats another's decision takes it over. An administrator does not, because some
  /// administrators may not give the access.
  private func restates(_ edit: GrantEdit, of grant: GrantState, in library: LibraryState) -> Bool {
    guard edit.mayRestate, !grant.isSettledUnsaved, !grant.isSelectionUnsaved else {
      return false
    }
    let before = grant.settled
    // Without access, the only restriction is the new accessor that each such edit sets.
    guard !edit.narrows || !before.status.grantsAccess else { return false }
    var target = before
    edit.change(&target)
    let catalogue = library.catalogue
    guard before.status != .notDetermined else {
      return target.status == .notDetermined && catalogue.isEmpty(grant.planned)
    }
    guard before.role == edit.decider.role || edit.decider.role == .administrator,
      GrantRights(before) == GrantRights(target)
    else {
      return false
    }
    guard !target.status.grantsAccess || target.accessor == before.accessor else { return false }
    switch edit.selection {
    case .none: return true
    case .clear: return false
    case .edit(let adding, let removing):
      return catalogue.isEmpty(catalogue.intersection(removing, grant.planned))
        && addsNothing(catalogue.difference(adding, removing))
    case .replace(let kept):
      return catalogue.isEmpty(catalogue.difference(grant.planned, kept)) && addsNothing(kept)
    }
    func addsNothing(_ chosen: Selection) -> Bool {
      library.assets.selectable(catalogue.difference(chosen, grant.planned)).isEmpty
    }
  }

  private func commit(_ prepared: [Prepared], alongside: [StoreChange] = [], thereafter: @escaping () -> Void = {}) {
    var changes = prepared.flatMap(\.changes) + alongside
    if prepared.contains(where: \.edit.narrows) {
      changes.append(.putSetting(name: SettingName.epochFloor, value: String(epochs.latest)))
    }
    store.commit(changes) { [self] failure in
      for item in prepared {
        finish(
          item.edit, of: item.grant, in: item.library, target: item.target, selection: item.selection, failure: failure,
          decision: item.number.value)
      }
      thereafter()
    }
  }

  private func prepare(_ edit: GrantEdit, of grant: GrantState, in library: LibraryState) -> Prepared {
    let before = grant.settled
    var target = before
    edit.change(&target)
    target.setDecided(by: edit.decider, at: environment.now)
    target.epoch = grant.record.epoch
    target.viewGeneration = grant.record.viewGeneration
    target.viewSince = grant.record.viewSince
    if target.isOtherView(than: grant.record) {
      target.viewGeneration &+= 1
      target.viewSince = library.changes.presentSequence
    }

    let catalogue = library.catalogue
    let plannedBefore = grant.planned
    let selection = plan(edit, of: grant, in: library, from: before, to: target)
    var changes: [StoreChange] = []
    // A forgotten grant stays as a note that there was a decision.
    if target.status == .notDetermined, !edit.keepsSelection { changes.append(.removeGrant(target.key)) }
    if target.status != .notDetermined || !edit.endsNote { changes.append(.putGrant(target)) }
    changes += selection?.changes ?? []
    changes += alongside(grant, before, target)
    let record = DecisionRecord(
      time: target.decided, by: edit.decider, action: edit.action, library: target.key.library, app: target.key.app,
      level: target.key.level, before: before.summary(selected: catalogue.count(of: plannedBefore)),
      after: target.summary(selected: catalogue.count(of: grant.planned)), undoes: edit.undoes, words: edit.words)
    // A live selection moves by itself, so the undo of its conditions needs the whole selections.
    let unmoved =
      LiveSelection.agree(before.live, target.live)
      ? catalogue.intersection(grant.planned, plannedBefore) : catalogue.emptySelection()
    let assets = AssetChange(
      added: catalogue.encode(catalogue.difference(grant.planned, unmoved)),
      removed: catalogue.encode(catalogue.difference(plannedBefore, unmoved)))
    let change = DecisionChange(.grant(ValueChange(GrantRights(before), GrantRights(target))), [assets])
    let number = DecisionNumber()
    changes.append(.decide(record, change: change.isEmpty ? nil : change, number: number))
    return Prepared(
      edit: edit, grant: grant, library: library, target: target, selection: selection, changes: changes, number: number
    )
  }

  private func plan(
    _ edit: GrantEdit, of grant: GrantState, in library: LibraryState, from before: GrantRecord, to target: GrantRecord
  ) -> SelectionEdit? {
    let catalogue = library.catalogue
    var adding = catalogue.emptySelection()
    var removing = catalogue.emptySelection()
    switch edit.selection {
    case .none: break
    case .edit(let added, let removed): (adding, removing) = (added, removed)
    case .replace(let kept): (adding, removing) = (kept, catalogue.difference(grant.planned, kept))
    case .clear:
      edit.cleared = grant.planned
      grant.planned = catalogue.emptySelection()
      grant.selection = catalogue.emptySelection()
      return nil
    }
    let puttingBack = edit.undoes == nil ? catalogue.emptySelection() : adding
    if let live = target.live {
      // An undo, and a photo that is put back, name no path. The photos in the folder join afterwards.
      let isPathUnknown = live.folder != nil && (edit.undoes != nil || LiveSelection.agree(before.live, live))
      adding =
        isPathUnknown
        ? catalogue.emptySelection() : catalogue.intersection(adding, library.live.addable(live, to: grant))
    }
    let joined = library.selections.joining(from: before, to: target)
    edit.joined = joined
    adding = catalogue.union(adding, joined)
    guard grant.isSelectionUnsaved || !catalogue.isEmpty(catalogue.union(adding, removing)) else { return nil }
    // A new view is fetched as a whole, so its first selection is no news.
    let isNews = before.status == .limited && target.status == .limited
    let plan = library.selections.edit(
      of: grant, adding: adding, removing: removing, puttingBack: puttingBack, isNews: isNews)
    library.selections.applyNarrowing(plan, to: grant)
    return plan
  }

  private func finish(
    _ edit: GrantEdit, of grant: GrantState, in library: LibraryState, target: GrantRecord, selection: SelectionEdit?,
    failure: StoreFailure?, decision: UInt64? = nil
  ) {
    guard !grant.isRemoved else { return abandon(edit, of: grant) }
    edit.batch = nil
    grant.edits.removeFirst()
    let settledBefore = grant.settled
    // Without a failure or a decision nothing was written.
    if failure != nil || decision != nil { grant.isSettledUnsaved = failure != nil }
    grant.settled = failure == nil ? target : grant.settled.narrowed(to: target)
    if failure == nil, decision != nil { grant.isNoted = !edit.endsNote }
    hold(grant, in: library)
    if case .clear = edit.selection { grant.isSelectionUnsaved = failure != nil }
    if let selection {
      if failure == nil {
        library.selections.applyWidening(selection, to: grant)
      } else {
        library.selections.abandon(selection, of: grant)
      }
    }
    let before = grant.record
    var inForce = grant.settled
    for waiting in grant.edits {
      var next = inForce
      waiting.change(&next)
      inForce = inForce.narrowed(to: next)
    }
    grant.put(inForce, at: library.changes.presentSequence, environment)
    library.live.note(grant)
    if failure == nil, let live = target.live, selection != nil || live.mayHoldMore(since: settledBefore.live) {
      library.live.mend(grant)
    }
    announce(grant, since: before, in: library)
    if let selection, library.catalogue.count(of: selection.added) > 0 { delegate?.albumAccessNeeded(grant) }
    if failure == nil, let joined = edit.joined {
      let all = library.selections.joining(from: settledBefore, to: target)
      library.selections.joinLate(library.catalogue.numbers(in: library.catalogue.difference(all, joined)), to: grant)
    }
    didSettle(grant)
    if failure == nil, edit.isPersonsChoice { didChoose(target.key) }
    if let failure {
      edit.completion(.failure(.notKept(failure, narrowed: edit.narrows)))
    } else {
      let empty = library.catalogue.emptySelection()
      edit.completion(
        .success(
          GrantOutcome(
            grant: grant, added: selection?.added ?? empty, removed: selection?.removed ?? edit.cleared ?? empty,
            effect: edit.effect,
            narrowed: edit.tookAccess, decision: decision)))
    }
    commitFirst(of: grant, in: library)
  }

  /// Keeps the restrictions of pending edits in force, whatever the finished edit added.
  private func hold(_ grant: GrantState, in library: LibraryState) {
    grant.held = nil
    for waiting in grant.edits {
      guard let held = waiting.held else { continue }
      grant.held = grant.held.map { library.catalogue.union($0, held) } ?? held
    }
  }

  /// Fails an edit whose grant was removed, and all pending edits behind it.
  private func abandon(_ edit: GrantEdit, of grant: GrantState) {
    edit.batch = nil
    grant.edits.removeAll { $0 === edit }
    edit.completion(.failure(.grantGone()))
    abandonAll(grant)
  }

  private func abandonAll(_ grant: GrantState) {
    let edits = grant.edits
    grant.edits = []
    for edit in edits {
      guard let batch = edit.batch else {
        edit.completion(.failure(.grantGone()))
        continue
      }
      // The batch answers for all of its edits.
      if batch.takeReady() { commit(batch) }
    }
  }

  /// Tells running apps of a new status, and asks the album policy again (R18, R137).
  private func announce(_ grant: GrantState, since before: GrantRecord, in library: LibraryState) {
    if grant.record.policyInForce != before.policyInForce || grant.record.status != before.status {
      delegate?.albumAccessNeeded(grant)
    }
    if grant.record.isOtherView(than: before) || grant.record.isPaused != before.isPaused {
      library.changes.grantDidChange(grant)
    }
  }
}

extension BrokerError {
  static func grantGone() -> Self {
    .notFound("grant", "The library or the app was removed; list the grants to see those that there are.")
  }

  fileprivate static func unknownMarks() -> Self {
    .refused(
      .unknownMarks,
      "The restore lost the hidden and never-share marks of after the backup. Mark those photos again, and undo the "
        + "decision \"\(RestoreRestrictions.marksMissing)\" (photobroker decisions) to confirm. Then repeat this.")
  }

  /// The commit failed. A restriction stays in force until the broker stops.
  static func notKept(_ failure: StoreFailure, narrowed: Bool) -> Self {
    narrowed
      ? Self(
        .failed, .narrowedNotKept,
        "Access has ended, but this could not be saved: \(failure.message) Free disk space and repeat this, or the "
          + "access is back when the broker restarts."
      )
      : Self(
        .failed, .notKept,
        "Nothing was changed, because the decision could not be saved: \(failure.message) Free disk space and repeat "
          + "this."
      )
  }
}
