import Catalogue
import PhotoModel

/// The record of decisions, and the undo of each.
package struct AdminDecisions: AdminPart {
  let caller: AdminSession

  /// Lists decisions, newest first. An administrator gets those of every library, removed ones too.
  /// - Parameter query: its `libraries` are set here, from `name` and the caller's reach.
  package func list(
    library name: LibraryName?, _ query: DecisionQuery, completion: @escaping Completion<DecisionPage>
  ) {
    attempt(completion) { () throws(BrokerError) in
      if let name { _ = try caller.library(name) }
      var query = query
      query.libraries =
        name.map { [$0] } ?? (caller.isAdministrator ? nil : Set(caller.libraries.list.map(\.record.name)))
      broker.store.decisions(query) { [self] result in
        // The caller's reach may have changed during the query.
        completion(
          result.mapError { .failed($0) }.flatMap { page in
            Result { () throws(BrokerError) in
              if let name { _ = try caller.library(name) }
              var page = page
              page.entries.removeAll { !mayKnow($0.record) }
              return page
            }
          })
      }
    }
  }

  private func mayKnow(_ decision: DecisionRecord) -> Bool {
    caller.isAdministrator || decision.library.flatMap { broker.libraries[$0] }.map(caller.owns) ?? false
  }
  /// Undoes a decision (R131): restores the settings that it changed, and reverses its change of
  /// the selection. The undo is a decision too, and can itself be undone. Restrictions take effect
  /// at once, extensions after the commit. Revoked tokens stay invalid: restored access comes with
  /// a new token (R4).
  ///
  /// - Parameter leavesPolicy: keeps the grant's present album policy, for instance because the
  ///   earlier one is not installed any more.
  /// - Throws (by `completion`): `notFound`; `notPermitted` to a caller without the right to decide
  ///   there; `refused`, with the reason, for a decision without an undo or after later changes;
  ///   `failed`.
  package func undo(_ number: UInt64, leavesPolicy: Bool = false, completion: @escaping Completion<UndoOutcome>) {
    broker.store.decision(number) { [self] result in
      switch result {
      case .failure(let failure): completion(.failure(.failed(failure)))
      case .success(let kept):
        do throws(BrokerError) { try undo(number, kept, leavesPolicy: leavesPolicy, completion) } catch {
          completion(.failure(error))
        }
      }
    }
  }

  private func undo(
    _ number: UInt64, _ kept: KeptDecision?, leavesPolicy: Bool, _ completion: @escaping Completion<UndoOutcome>
  ) throws(BrokerError) {
    guard let kept else { throw .unknownDecision() }
    guard let name = kept.record.library else { return try undoAdministrators(kept, completion) }
    guard let library = broker.libraries[name], caller.owns(library) || caller.isAdministrator else {
      throw .unknownDecision()
    }
    guard let change = kept.change else { throw .keptNothing(number, kept.record) }
    try checkMayUndo(change.object, kept.record, in: library)
    switch change.object {
    case .grant(var grant):
      if leavesPolicy { grant.before.albumPolicy = grant.after.albumPolicy }
      guard let key = kept.record.key else { throw .keptNothing(number, kept.record) }
      let assets = change.assets.first ?? AssetChange()
      try undo(kept, grant, assets, of: key, in: library) {
        completion($0.map { UndoOutcome(grant: $0.0, receipt: $0.1) })
      }
    case .library(let rights): try undo(kept, rights, in: library, completion)
    case .rule(let rule): try undo(kept, from: rule.after, to: rule.before, in: library, completion)
    case .marks: try caller.marks.undo(kept, in: library, completion)
    case .album(let album): try caller.albums.undo(kept, album, in: library, completion)
    case .asset(let asset): try caller.assets.undo(kept, asset, in: library, completion)
    case .addedLibrary: try undoAdding(number, library, completion)
    case .addedApp: try undoRegistering(number, kept.record, in: library, completion)
    case .token(let accessor): try undoMinting(number, kept.record, accessor, in: library, completion)
    case .unknownMarks: try caller.marks.confirm(kept, in: library, completion)
    case .administrators: throw .keptNothing(number, kept.record)
    }
  }

  /// Whether the caller has the right to undo a decision, the store still has its change, and its
  /// app was not removed. Later changes may still prevent the undo.
  package func mayUndo(_ kept: KeptDecision) -> Bool {
    // The restored grant would expire again at once.
    guard kept.record.source != .expiry, let change = kept.change else { return false }
    // An owner may undo an app's change of the content even if the app was removed.
    let isOnContent = change.isOnAlbum || change.isOnAsset
    guard isOnContent || kept.record.app.map({ broker.apps[$0] != nil }) ?? true else { return false }
    guard let name = kept.record.library else {
      if case .administrators = change.object { return caller.uid == 0 } else { return false }
    }
    guard let library = broker.libraries[name], caller.owns(library) || caller.isAdministrator else { return false }
    return (try? checkMayUndo(change.object, kept.record, in: library)) != nil
  }

  /// Checks the caller's right to undo a decision, without regard to later changes.
  /// - Throws: `notPermitted`, `refused`.
  private func checkMayUndo(
    _ object: DecisionChange.Object, _ record: DecisionRecord, in library: LibraryState
  ) throws(BrokerError) {
    switch object {
    case .grant(let grant):
      let (before, after) = (grant.before.status, grant.after.status)
      guard caller.decides(in: library) else { throw .ownersOnly() }
      guard before != after else { return }
      if before == .restricted, !caller.isAdministrator {
        throw .refused(.administratorsRestrict, "Only an administrator blocks again; as the owner, decline.")
      }
      if before == .denied || before == .notDetermined, !caller.owns(library) { throw .ownersOnly() }
    case .library(let rights):
      guard case .delegation = LibraryAspect(of: rights) else {
        guard caller.owns(library) else { throw .ownersOnly() }
        return
      }
      try caller.rights.checkMayDelegate({ $0 = rights.setBack($0) }, in: library)
    case .rule(let change):
      for rule in [change.before, change.after] {
        if let rule, !caller.rules.mayChange(rule, in: library) { throw .foreignRule() }
      }
    case .marks, .unknownMarks, .album, .asset: guard caller.owns(library) else { throw .ownersOnly() }
    case .addedLibrary: guard library.record.owner == caller.uid || caller.uid == 0 else { throw .ownersOnly() }
    case .addedApp:
      guard record.actor == caller.uid || caller.isAdministrator else {
        throw .notPermitted(
          .registrarsOnly,
          "Only administrators and the user who registered the app can undo that; revoke its access instead.")
      }
    // The undo only ends access, which administrators may do.
    case .token: break
    // Decisions about administrators belong to no library.
    case .administrators: throw .unknownDecision()
    }
  }

  private func undo(
    _ kept: KeptDecision, _ change: ValueChange<GrantRights>, _ assets: AssetChange, of key: GrantKey,
    in library: LibraryState, _ completion: @escaping Completion<(GrantView, Receipt)>
  ) throws(BrokerError) {
    guard let app = broker.apps[key.app] else {
      throw .refused(
        .appForgotten, "The app was removed, so nothing can be given back to it; it asks again as a new one.")
    }
    let grant = broker.grants[key] ?? broker.undecided(key, library)
    let (added, removed): (Selection, Selection)
    do {
      (added, removed) = (
        try library.catalogue.selection(decoding: assets.added),
        try library.catalogue.selection(decoding: assets.removed)
      )
    } catch { throw .decisionDamaged() }
    try checkUnmoved(kept, change, grant, added: added, removed: removed, in: library)
    try checkMayRestore(change, of: grant)
    broker.grants.insert(grant)
    if change.before.status == .notDetermined { broker.promptService.forgive(.denied, library, app.record) }
    let fresh = broker.newAccessor()
    let (out, back) = (library.catalogue.numbers(in: added), library.catalogue.numbers(in: removed, withMissing: true))
    let edit = GrantEdit(
      decider: caller.decider(in: library, source: .undo), action: "undo", undoes: kept.number,
      selection: restored(change, of: grant, added: added, removed: removed, in: library),
      change: { change.undo(in: &$0, accessor: fresh, assets: (out, back)) }
    ) { [self] in caller.grants.finish($0, completion) }
    broker.editor.submit(edit, on: grant, in: library)
  }

  /// - Throws: `refused` if a setting of the decision was changed or decided again since.
  private func checkUnmoved(
    _ kept: KeptDecision, _ change: ValueChange<GrantRights>, _ grant: GrantState, added: Selection,
    removed: Selection, in library: LibraryState
  ) throws(BrokerError) {
    let (now, catalogue) = (GrantRights(grant.record), library.catalogue)
    var shown = now
    shown.status = grant.status(broker.environment)
    var moved = change.moved(now, as: shown)
    if grant.hasEnded(broker.environment), moved.first?.code != .statusMoved {
      moved.insert(.statusMoved(shown), at: 0)
    }
    // A live selection moves by itself, and other conditions replace all of it.
    let isSelectionMoved =
      change.before.live == nil && change.after.live == nil
      && (catalogue.count(of: catalogue.difference(added, grant.planned)) > 0
        || catalogue.count(of: catalogue.intersection(removed, grant.planned)) > 0)
    if isSelectionMoved { moved.append(Reason(.selectionMoved, "its selection was edited")) }
    if !grant.edits.isEmpty || grant.isSettledUnsaved || grant.isSelectionUnsaved {
      moved.append(Reason(.decisionComing, "another decision is being saved"))
    }
    try kept.require(unmoved: moved)
  }

  /// The selection after an undo. A live one holds what fits now; photos in its folder join afterwards.
  private func restored(
    _ change: ValueChange<GrantRights>, of grant: GrantState, added: Selection, removed: Selection,
    in library: LibraryState
  ) -> GrantEdit.SelectionChange {
    let catalogue = library.catalogue
    let agrees = LiveSelection.agree(change.before.live, change.after.live)
    guard let live = agrees ? grant.record.live : change.before.live else {
      return .edit(adding: removed, removing: agrees ? added : catalogue.difference(grant.planned, removed))
    }
    let back =
      live.folder == nil
      ? catalogue.intersection(removed, library.live.met(live)) : catalogue.emptySelection()
    if agrees { return .edit(adding: back, removing: added) }
    return .edit(
      adding: back,
      removing: catalogue.difference(grant.planned, catalogue.union(back, library.selections.own(of: grant))))
  }

  private func checkMayRestore(_ change: ValueChange<GrantRights>, of grant: GrantState) throws(BrokerError) {
    let before = change.before
    let isOver =
      before.expires.map { $0 <= broker.environment.now } ?? false
      || before.isOnce && !broker.lifeCycles.isRunning(grant.record.key.app)
    if before.status.grantsAccess, isOver {
      throw .refused(
        .wouldHaveEnded,
        "The access would have ended by itself meanwhile, so there is nothing to restore; decide anew.")
    }
    let keepsStatus = before.status == change.after.status
    let status = keepsStatus ? grant.record.status : before.status
    if before.isPaused, !change.after.isPaused, !status.grantsAccess { throw .noAccess(status) }
    // A grant without access has no end and no album policy to restore.
    guard keepsStatus, !status.grantsAccess else { return }
    let setsMore = before.end != change.after.end || before.albumPolicy != change.after.albumPolicy
    if status == .notDetermined || setsMore { throw .noAccess(status) }
  }
}

extension KeptDecision {
  /// - Parameter moved: the reasons why the present state is not the decision's result.
  /// - Throws: `refused` if there is a reason, or if a later decision set the same.
  func require(unmoved moved: [Reason]) throws(BrokerError) {
    if !moved.isEmpty { throw .movedOn(number, moved) }
    guard let later = overriddenBy else { return }
    throw .movedOn(number, [Reason(.decidedAgain, "decision \(later) set the same", ["decision": "\(later)"])])
  }
}

extension ValueChange<GrantRights> {
  /// Restores the settings that the decision changed, and no others.
  /// - Parameter assets: the assets that the decision added to the selection and removed from it.
  fileprivate func undo(
    in record: inout GrantRecord, accessor: Accessor, assets: (added: [AssetNumber], removed: [AssetNumber])
  ) {
    let (grantedBefore, rights) = (record.status.grantsAccess, setBack(GrantRights(record)))
    record.status = rights.status
    if before.agreement != after.agreement { record.agreement = before.agreement }
    if !record.status.grantsAccess || !grantedBefore { record.accessor = accessor }
    record.setPaused(rights.isPaused, by: before.pausedBy)
    record.setEnd(rights.expires, isOnce: rights.isOnce, by: before.endSetBy)
    record.albumPolicy = rights.albumPolicy
    record.terms = rights.terms
    record.live = rights.live
    if LiveSelection.agree(before.live, after.live) {
      record.live?.exclude(assets.added)
      record.live?.include(assets.removed)
    }
    // As in ``GrantSettings``: a grant without access has no end, and one without a decision keeps
    // no settings.
    if !record.status.grantsAccess { record.setEnd(nil, by: nil) }
    guard record.status == .notDetermined else { return }
    record.setPaused(false, by: nil)
    (record.albumPolicy, record.terms) = ("own", .standard)
    record.agreement = nil
  }
}

extension BrokerError {
  static func unknownDecision() -> Self {
    .notFound("decision", "No such decision is known to you; list the decisions to see their numbers.")
  }

  static func decisionDamaged() -> Self {
    .failed(.decisionDamaged, "The record of this decision is damaged, so it cannot be undone; decide anew.")
  }

  static func keptNothing(_ number: UInt64, _ record: DecisionRecord) -> Self {
    let why = reason(record)
    return .refused(why.code, "Decision \(number) cannot be undone: \(why.text)", why.values)
  }

  /// The reason why a decision has no undo, with a remedy.
  private static func reason(_ record: DecisionRecord) -> Reason {
    switch record.action {
    case "revokeToken":
      Reason(
        .tokenRevoked, "a token that was revoked never comes back; the app is given a new one when it asks for access.")
    case "remove":
      Reason(.accessErased, "the app's access was erased for good; decide anew when the app asks.")
    case "pick":
      Reason(
        .pickOver,
        "the picked photos were delivered, or ended with the app's connection; there is nothing to undo.")
    case "confirm":
      Reason(.deletionAnswered, "the app was told the answer; deleted photos can be restored from the trash.")
    case "set up":
      Reason(.setUp, "it changed plugins or their options, which have no undo; set them back by hand.")
    case "usageDescriptionMissing":
      Reason(.notedOnly, "it only records that an app asked without a reason, and changed nothing.")
    case "pause" where record.source == .restore:
      Reason(
        .restoredPause, "it paused access after a restore; resume the grants that you still want."
      )
    default: Reason(.keptNothing, "it is too old, or changed nothing that can be restored; decide anew.")
    }
  }

  /// - Parameter moved: the reasons why the present state is not the decision's result.
  static func movedOn(_ number: UInt64, _ moved: [Reason]) -> Self {
    let why = moved.map(\.text).joined(separator: ", ")
    return Self(
      .refused, .movedOn,
      "Decision \(number) cannot be undone any more, because since then \(why). Undo the later decisions first, or "
        + "decide anew.",
      parts: moved)
  }
}
