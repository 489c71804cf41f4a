import Catalogue
package import PhotoModel

/// The grants in the libraries within the caller's reach.
package struct AdminGrants: AdminPart {
  let caller: AdminSession

  /// Grants with a decision, by library, app and level.
  /// - Throws: `notFound` for a library or an app outside the caller's reach.
  package func list(library name: LibraryName? = nil, app identifier: AppIdentifier? = nil) throws(BrokerError)
    -> [GrantView]
  {
    if let name { _ = try caller.library(name) }
    if let identifier { _ = try caller.app(identifier) }
    return broker.grants.decided { grant in
      let key = grant.record.key
      return (name == nil || key.library == name) && (identifier == nil || key.app == identifier)
        && caller.reaches(grant)
    }.compactMap(caller.view)
  }

  /// Decides about an app at one level, without a prompt. An administrator who is not an owner can
  /// only restrict (R130).
  ///
  /// - Throws (by `completion`): `notFound`; `refused` for inconsistent settings; `notPermitted` to
  ///   an administrator who would extend access; `failed` if the store fails: restrictions hold
  ///   nevertheless.
  package func set(
    library name: LibraryName, app identifier: AppIdentifier, level: AccessLevel, _ settings: GrantSettings,
    completion: @escaping Completion<(GrantView, Receipt)>
  ) {
    attempt(completion) { () throws(BrokerError) in
      let key = GrantKey(library: name, app: identifier, level: level)
      let planned = try plan(settings, of: key, source: .settings) { [self] in finish($0, completion) }
      broker.editor.submit(planned.edit, on: planned.grant, in: planned.library)
    }
  }

  struct PlannedEdit {
    let edit: GrantEdit
    let grant: GrantState
    let library: LibraryState
  }

  /// Checks an edit of one grant, and inserts a new grant into the table.
  /// - Throws: as ``set(library:app:level:_:completion:)``.
  func plan(
    _ settings: GrantSettings, selection: GrantEdit.SelectionChange = .none,
    setLive: @escaping (inout GrantRecord) -> Void = { _ in }, of key: GrantKey, source: DecisionSource,
    completion: @escaping Completion<GrantOutcome>
  ) throws(BrokerError) -> PlannedEdit {
    let (library, grant, app) = try checked(settings, of: key)
    var settings = settings
    settings.defaults = library.record.defaultTerms
    let fresh = broker.newAccessor()
    let hasEnded = grant.hasEnded(broker.environment)
    let onlyNarrows = !caller.decides(in: library)
    let decider = caller.decider(in: library, source: source)
    let change: (inout GrantRecord) -> Void = { record in
      var target = record
      settings.apply(to: &target, by: decider.role, accessor: fresh, hasEnded: hasEnded)
      setLive(&target)
      record = onlyNarrows ? record.narrowed(to: target) : target
    }
    if onlyNarrows { try checkNarrows(grant, settings, accessor: fresh, hasEnded: hasEnded) }
    broker.grants.insert(grant)
    if settings.status == .notDetermined { broker.promptService.forgive(.denied, library, app.record) }
    let edit = GrantEdit(
      decider: decider, action: settings.action, selection: selection, change: change, completion: completion)
    edit.mayRestate = true
    return PlannedEdit(edit: edit, grant: grant, library: library)
  }

  func checked(_ settings: GrantSettings, of key: GrantKey) throws(BrokerError) -> (LibraryState, GrantState, App) {
    let library = try caller.library(key.library)
    let app = try caller.app(key.app, for: library)
    let known = broker.grants[key]
    try check(settings, level: key.level, in: library, known)
    return (library, known ?? broker.undecided(key, library), app)
  }

  /// Pauses or resumes grants and changes nothing else (R132).
  /// - Throws (by `completion`): as ``revoke(_:completion:)``; `notFound` where a library and an
  ///   app are named and have no decision; `notPermitted` to an administrator who would resume.
  package func pause(_ scope: RevocationScope, paused: Bool, completion: @escaping Completion<Receipt>) {
    attempt(completion) { () throws(BrokerError) in
      let grants = try grants(in: scope)
      if grants.isEmpty, let library = scope.library, let app = scope.app {
        let decided = broker.grants.decided { grant in
          let key = grant.record.key
          return key.library == library && key.app == app && (scope.level == nil || key.level == scope.level)
        }
        throw decided.first.map { .noAccess($0.record.status) } ?? .unknownGrant()
      }
      let mayResume = grants.allSatisfy { broker.libraries[$0.record.key.library].map(caller.decides) ?? false }
      guard paused || mayResume else { throw .widens() }
      let effect = paused ? endPicks(in: scope) : NarrowingEffect()
      let told = { (result: Result<Receipt, BrokerError>) in completion(result.map { $0 + Receipt(effect: effect) }) }
      submit(to: grants, action: paused ? "pause" : "resume", mayRestate: true, completion: told) { grant in
        let role = broker.libraries[grant.record.key.library].map { caller.decider(in: $0).role }
        return { $0.setPaused(paused, by: role) }
      }
    }
  }

  /// Submits the same edit to several grants, and completes when all are stored.
  /// - Parameters:
  ///   - recipients: apps that the receipt covers beside those whose grants are restricted.
  ///   - mayRestate: whether an edit without effect is left out of the record.
  func submit(
    to grants: [GrantState], action: String, recipients: [GrantKey] = [], mayRestate: Bool = false,
    completion: @escaping Completion<Receipt>,
    change: (GrantState) -> (inout GrantRecord) -> Void
  ) {
    let gathered = CompletionGroup<GrantOutcome>(count: grants.count) { [broker] result in
      result.orFail(completion) { outcomes in
        let narrowed = outcomes.filter(\.narrowed)
        broker.receipt(
          for: narrowed.map(\.grant.record.key), recipients: recipients,
          effect: narrowed.reduce(NarrowingEffect()) { $0 + $1.effect },
          decisions: outcomes.compactMap(\.decision).sorted()
        ) { completion(.success($0)) }
      }
    }
    for grant in grants {
      guard let library = broker.libraries[grant.record.key.library] else {
        gathered.take(.failure(.unknownLibrary()))
        continue
      }
      let edit = GrantEdit(decider: caller.decider(in: library), action: action, change: change(grant)) {
        gathered.take($0)
      }
      edit.mayRestate = mayRestate
      broker.editor.submit(edit, on: grant, in: library)
    }
  }

  func finish(_ result: Result<GrantOutcome, BrokerError>, _ completion: @escaping Completion<(GrantView, Receipt)>) {
    result.orFail(completion) { outcome in
      broker.receipt(
        for: outcome.narrowed ? [outcome.grant.record.key] : [], effect: outcome.effect,
        decisions: [outcome.decision].compactMap { $0 }
      ) { [self] receipt in
        guard let view = caller.view(outcome.grant) else { return completion(.failure(.unknownGrant())) }
        completion(.success((view, receipt)))
      }
    }
  }

  private func check(
    _ settings: GrantSettings, level: AccessLevel, in library: LibraryState, _ grant: GrantState?
  ) throws(BrokerError) {
    if !settings.terms.isEmpty, level == .addOnly {
      throw .refused("Terms are for access that sees photos, not for adding alone.")
    }
    if settings.isEmpty {
      throw .refused(.nothingToSet, "There is nothing to set; give a status, an end, an album policy or terms.")
    }
    let status = settings.status ?? grant?.record.status ?? .notDetermined
    if settings.status == nil, !status.grantsAccess {
      throw status == .notDetermined ? .unknownGrant() : .noAccess(status)
    }
    if status == .limited, level == .addOnly {
      throw .refused(.limitedAdding, "Access to add only has no selection; give it or decline it.")
    }
    if status == .restricted, settings.status != nil, caller.owns(library), !caller.isAdministrator {
      throw .refused(.administratorsRestrict, "Only administrators block; as the owner, decline.")
    }
    if status == .denied, settings.status != nil, !caller.owns(library) {
      throw .notPermitted(.ownersDeny, "Only owners decline; as an administrator, block.")
    }
    if settings.status == .notDetermined, !caller.owns(library) { throw .ownersOnly() }
    if case .at = settings.end, !status.grantsAccess {
      throw .refused("Without access there is nothing to end; leave the end out, or give access.")
    }
    if case .at(let end) = settings.end, end <= broker.environment.now {
      throw .endsInPast()
    }
    if let policy = settings.albumPolicy, LibraryName(policy) == nil {
      throw .refused(
        .policyName, "An album policy's name has 1 to 64 of a-z, 0-9 and hyphen; list the plugins to see them.")
    }
  }

  /// - Throws: `notPermitted` if any of the settings would extend access.
  func checkNarrows(
    _ grant: GrantState, _ settings: GrantSettings, accessor: Accessor, hasEnded: Bool
  ) throws(BrokerError) {
    var target = grant.record
    settings.apply(to: &target, by: .administrator, accessor: accessor, hasEnded: hasEnded)
    let narrowed = grant.record.narrowed(to: target)
    let isRestriction = settings.status == .restricted
    guard isRestriction || narrowed.hasRights(of: target), !hasEnded || isRestriction else { throw .widens() }
  }
}

extension Broker {
  /// A grant without a decision. It enters the table with the first decision.
  func undecided(_ key: GrantKey, _ library: LibraryState) -> GrantState {
    GrantState(
      record: GrantRecord(undecided: key, accessor: newAccessor(), now: environment.now),
      selection: library.catalogue.emptySelection())
  }
}

extension BrokerError {
  static func endsInPast() -> Self {
    .refused(.endsInPast, "The end lies in the past; revoke the grant to end it now.")
  }

  static func widens() -> Self {
    .notPermitted(.administratorsNarrow, "An administrator can only take access away; the library's owner can give it.")
  }
}
