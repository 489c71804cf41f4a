import Catalogue
import PhotoModel

extension AdminSession {
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
  package func undo(
    _ number: UInt64, leavesPolicy: Bool = false, completion: @escaping (Result<UndoOutcome, BrokerError>) -> Void
  ) {
    let carried = Confined { [self] (result: Result<KeptDecision?, StoreFailure>) in
      switch result {
      case .failure(let failure): completion(.failure(.failed(failure)))
      case .success(let kept):
        do throws(BrokerError) { try undo(number, kept, leavesPolicy: leavesPolicy, completion) } catch {
          completion(.failure(error))
        }
      }
    }
    broker.store.decision(number) { carried.value($0) }
  }

  private func undo(
    _ number: UInt64, _ kept: KeptDecision?, leavesPolicy: Bool,
    _ completion: @escaping (Result<UndoOutcome, BrokerError>) -> Void
  ) throws(BrokerError) {
    guard let kept else { throw .unknownDecision() }
    guard let name = kept.record.library else { return try undoAdministrators(kept, completion) }
    guard let library = broker.libraries[name], owns(library) || isAdministrator else { throw .unknownDecision() }
    if let change = kept.change { try checkMayUndo(UndoScope(change), kept.record, in: library) }
    switch kept.change {
    case .grant(var change):
      if leavesPolicy { change.before.albumPolicy = change.after.albumPolicy }
      guard let key = kept.record.key else { throw .keptNothing(number, kept.record) }
      try undo(kept, change, of: key, in: library) { completion($0.map { UndoOutcome(grant: $0.0, receipt: $0.1) }) }
    case .library(let before, let after): try undo(kept, from: after, to: before, in: library, completion)
    case .rule(let before, let after): try undo(kept, from: after, to: before, in: library, completion)
    case .marks(let change): try undo(kept, change, in: library, completion)
    case .album(let change): try undo(kept, change, in: library, completion)
    case .addedLibrary: try undoAdding(number, library, completion)
    case .addedApp: try undoRegistering(number, kept.record, in: library, completion)
    case .token(let accessor): try undoMinting(number, kept.record, accessor, in: library, completion)
    case .administrators, nil: throw .keptNothing(number, kept.record)
    }
  }

  /// Whether the caller has the right to undo a decision, the store still has its change, and its
  /// app was not removed. Later changes may still prevent the undo.
  package func mayUndo(_ entry: DecisionPage.Entry) -> Bool {
    // The restored grant would expire again at once.
    guard entry.record.source != .expiry else { return false }
    // An owner may undo an app's change of an album even if the app was removed.
    guard let scope = entry.scope, scope == .photos || entry.record.app.map({ broker.apps[$0] != nil }) ?? true else {
      return false
    }
    guard let name = entry.record.library else { return scope == .administrators && uid == 0 }
    guard let library = broker.libraries[name], owns(library) || isAdministrator else { return false }
    return (try? checkMayUndo(scope, entry.record, in: library)) != nil
  }

  /// Checks the caller's right to undo a decision, without regard to later changes.
  /// - Throws: `notPermitted`, `refused`.
  private func checkMayUndo(_ scope: UndoScope, _ record: DecisionRecord, in library: LibraryState) throws(BrokerError)
  {
    switch scope {
    case .grant(let before, let after):
      guard decides(in: library) else { throw .ownersOnly() }
      guard before != after else { return }
      if before == .restricted, !isAdministrator {
        throw BrokerError(
          .refused, .administratorsRestrict, "Only an administrator sets restricted again; as the owner, set denied.")
      }
      if before == .denied || before == .notDetermined, !owns(library) { throw .ownersOnly() }
    case .library(let before, let after):
      guard before.sharesOriginals == after.sharesOriginals, before.appsDelete == after.appsDelete,
        before.offeredTo == after.offeredTo
      else {
        guard owns(library) else { throw .ownersOnly() }
        return
      }
      try checkMayDelegate(Delegation(from: after, to: before), in: library)
    case .rule(let before, let after):
      for rule in [before, after] { if let rule, !mayChange(rule, in: library) { throw .foreignRule() } }
    case .photos: guard owns(library) else { throw .ownersOnly() }
    case .addedLibrary: guard library.record.owner == uid || uid == 0 else { throw .ownersOnly() }
    case .addedApp:
      guard record.actor == uid || isAdministrator else {
        throw BrokerError(
          .notPermitted, .registrarsOnly,
          "Who registered the app can take that back, and administrators can; revoke its access instead.")
      }
    // The undo only ends access, which administrators may do.
    case .token: break
    // They concern no library.
    case .administrators: throw .unknownDecision()
    }
  }

  private func undo(
    _ kept: KeptDecision, _ change: GrantChange, of key: GrantKey, in library: LibraryState,
    _ completion: @escaping (Result<(GrantView, Receipt), BrokerError>) -> Void
  ) throws(BrokerError) {
    guard let app = broker.apps[key.app] else {
      throw BrokerError(
        .refused, .appForgotten,
        "The app was forgotten, so nothing can be given back to it; it asks again as a new one.")
    }
    let grant = broker.grants[key] ?? broker.undecided(key, library)
    let (added, removed, taken, away) = try selections(of: change, in: library)
    try checkUnmoved(kept, change, grant, added: added, removed: removed, in: library)
    try checkMayRestore(change, of: grant)
    broker.grants.insert(grant)
    if change.before.status == .notDetermined { broker.prompts.denials.forgive(key, app.record) }
    let fresh = broker.newAccessor()
    let edit = GrantEdit(
      decider: decider(in: library, source: .undo), action: "undo", undoes: kept.number,
      selection: .edit(adding: removed, removing: added), change: { change.undo(in: &$0, accessor: fresh) }
    ) { [self] in finish($0, completion) }
    edit.takesOfAway = .only(taken)
    edit.puttingBackAway = away
    broker.editor.submit(edit, on: grant, in: library)
  }

  /// The assets that a decision added and removed.
  /// - Returns: beside the selections, `taken`: the added assets, including missing ones; `away`:
  ///   the removed assets that are missing.
  /// - Throws: `failed` if the stored change is damaged.
  private func selections(
    of change: GrantChange, in library: LibraryState
  ) throws(BrokerError) -> (added: Selection, removed: Selection, taken: AssetNumbers, away: [AssetNumber]) {
    let catalogue = library.catalogue
    do {
      return (
        try catalogue.selection(decoding: change.added), try catalogue.selection(decoding: change.removed),
        try AssetNumbers(decoding: change.added),
        try AssetNumbers(decoding: change.removed).members.filter(library.away.contains)
      )
    } catch { throw .decisionDamaged() }
  }

  /// - Throws: `refused` if a setting of the decision was changed or decided again since.
  private func checkUnmoved(
    _ kept: KeptDecision, _ change: GrantChange, _ grant: GrantState, added: Selection, removed: Selection,
    in library: LibraryState
  ) throws(BrokerError) {
    let (now, catalogue) = (GrantRights(grant.record), library.catalogue)
    let (before, after) = (change.before, change.after)
    var moved: [Reason] = []
    if grant.hasEnded(broker.environment) || before.status != after.status && now.status != after.status {
      let status = grant.status(broker.environment).name
      moved.append(Reason(.statusMoved, "the status is \(status)", ["status": status]))
    }
    if before.isPaused != after.isPaused, now.isPaused != after.isPaused {
      moved.append(now.isPaused ? Reason(.isPaused, "it is paused") : Reason(.wasResumed, "it was resumed"))
    }
    if before.expires != after.expires, now.expires != after.expires {
      moved.append(Reason(.endMoved, "its end is another one"))
    }
    if before.albumPolicy != after.albumPolicy, now.albumPolicy != after.albumPolicy {
      moved.append(Reason(.albumsMoved, "its albums are \(now.albumPolicy)", ["policy": now.albumPolicy]))
    }
    let isSelectionMoved =
      catalogue.count(of: catalogue.difference(added, grant.planned)) > 0
      || catalogue.count(of: catalogue.intersection(removed, grant.planned)) > 0
    if isSelectionMoved { moved.append(Reason(.selectionMoved, "its selection was edited")) }
    if !grant.edits.isEmpty || grant.isSettledUnsaved || grant.isSelectionUnsaved {
      moved.append(Reason(.decisionComing, "another decision is on its way"))
    }
    try kept.require(unmoved: moved)
  }

  private func checkMayRestore(_ change: GrantChange, of grant: GrantState) throws(BrokerError) {
    let before = change.before
    if let end = before.expires, before.status.grantsAccess, end <= broker.environment.now {
      throw BrokerError(
        .refused, .wouldHaveEnded, "What this decision ended would have ended by itself meanwhile; decide anew.")
    }
    let keepsStatus = before.status == change.after.status
    let status = keepsStatus ? grant.record.status : before.status
    if before.isPaused, !change.after.isPaused, !status.grantsAccess { throw .noAccess(status) }
    // A grant without access has no end and no album policy to restore.
    guard keepsStatus, !status.grantsAccess else { return }
    let setsMore = before.expires != change.after.expires || before.albumPolicy != change.after.albumPolicy
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

extension GrantChange {
  /// Restores the settings that the decision changed, and no others.
  fileprivate func undo(in record: inout GrantRecord, accessor: Accessor) {
    let grantedBefore = record.status.grantsAccess
    if before.status != after.status { record.status = before.status }
    if let agreements { record.agreement = agreements.before }
    if !record.status.grantsAccess || !grantedBefore { record.accessor = accessor }
    if before.isPaused != after.isPaused { record.setPaused(before.isPaused, by: before.pausedBy) }
    if before.expires != after.expires { record.setEnd(before.expires, by: before.endSetBy) }
    if before.albumPolicy != after.albumPolicy { record.albumPolicy = before.albumPolicy }
    // As in ``GrantSettings``: a grant without access has no end, and one without a decision keeps
    // no settings.
    if !record.status.grantsAccess { record.setEnd(nil, by: nil) }
    guard record.status == .notDetermined else { return }
    record.setPaused(false, by: nil)
    record.albumPolicy = "own"
    record.agreement = nil
  }
}

extension BrokerError {
  static func unknownDecision() -> Self {
    .notFound("decision", "No such decision is known to you; list the decisions to see their numbers.")
  }

  static func decisionDamaged() -> Self {
    Self(.failed, .decisionDamaged, "What this decision changed is damaged in the database; decide anew.")
  }

  static func keptNothing(_ number: UInt64, _ record: DecisionRecord) -> Self {
    let why = reason(record)
    return Self(.refused, why.code, "Decision \(number) cannot be undone: \(why.text)", why.values)
  }

  /// The reason why a decision has no undo, with a remedy.
  private static func reason(_ record: DecisionRecord) -> Reason {
    switch record.action {
    case "revokeToken":
      Reason(
        .tokenRevoked, "a token that was revoked never comes back; the app is given a new one when it asks for access.")
    case "remove":
      Reason(.accessErased, "what was known of the app's access was erased with it; decide anew when the app asks.")
    case "pick":
      Reason(
        .pickOver, "what was picked was given, or is over with the app's connection; nothing is left to take back.")
    case "set up":
      Reason(.setUp, "the library's plugins and their options are set, not decided; set them again as they were.")
    case "usageDescriptionMissing":
      Reason(.notedOnly, "it says that an app asked without giving a reason, and changed nothing.")
    case "pause" where record.source == .restore:
      Reason(
        .restoredPause, "it paused what a restored state would have given back; resume the grants that are still meant."
      )
    case "mark" where record.source == .restore:
      Reason(.restoredMarks, "it says what cannot be known, and changed nothing; mark what is missing.")
    default: Reason(.keptNothing, "it is too old, or changed nothing that can be put back; decide anew.")
    }
  }

  /// - Parameter moved: the reasons why the present state is not the decision's result.
  static func movedOn(_ number: UInt64, _ moved: [Reason]) -> Self {
    let why = moved.map(\.text).joined(separator: ", ")
    return Self(
      .refused, .movedOn,
      "Decision \(number) cannot be undone any more, because since then \(why). Undo the later decisions first, or decide anew.",
      parts: moved)
  }
}
