import Limits
import PhotoModel

/// Apps that the caller knows of: their registration and removal.
package struct AdminApps: AdminPart {
  let caller: AdminSession

  /// Apps of the caller's user, and apps with a decision or a prompt in the caller's libraries,
  /// even a past one. An administrator gets all.
  package var list: [App] {
    broker.apps.apps.values.filter(caller.knows).sorted {
      ($0.record.manifest.identifier, $0.identifier) < ($1.record.manifest.identifier, $1.identifier)
    }
  }

  /// Libraries within the caller's reach in which the decision about an app has ended: the app has
  /// no access there and may ask again.
  package func forgotten(_ identifier: AppIdentifier) -> [LibraryName] {
    let grants = broker.grants[app: identifier].filter(caller.reaches)
    let (over, others) = (
      grants.filter(\.isForgotten), grants.filter { !$0.isForgotten && ($0.isNoted || !$0.edits.isEmpty) }
    )
    return Set(over.map(\.record.key.library)).subtracting(others.map(\.record.key.library)).sorted()
  }

  package func connections(of app: App) -> Int { broker.sessions.count(of: app.identifier) }

  /// Registers an app from its manifest before its first run.
  /// - Parameter user: the user who runs the app; nil is the caller. Another user is allowed to
  ///   administrators and to owners of a library that is offered to that user.
  /// - Throws (by `completion`): `refused` for a bad manifest, `notPermitted`, `limitExceeded`,
  ///   `failed`.
  package func add(_ manifest: Manifest, user: UInt32? = nil, completion: @escaping Completion<Introduction>) {
    attempt(completion) { () throws(BrokerError) in
      try ManifestRules.check(manifest)
      let user = user ?? caller.uid
      guard
        user == caller.uid || caller.isAdministrator
          || caller.libraries.list.contains(where: { $0.isOffered(to: user) })
      else {
        throw .notPermitted("To register an app of another user, offer one of your libraries to that user first.")
      }
      let identity = VerifiedIdentity(
        uid: user, processID: 0, systemIdentity: nil, executable: nil, isInterpreter: false)
      let places = caller.libraries.list.filter { $0.isOffered(to: user) }
      let deciding = { [self] (app: AppRecord) in
        places.map { library in
          DecisionRecord(
            time: broker.environment.now, by: caller.decider(in: library), action: "addApp",
            library: library.record.name, app: app.identifier, before: "", after: "registered, user \(user)")
        }
      }
      try broker.appRegistrar.register(manifest, identity, registrar: caller.uid, deciding: deciding) {
        [broker] result in
        result.orFail(completion) { app in
          attempt(completion) { () throws(BrokerError) in
            completion(.success(Introduction(app: app, token: try broker.tokens.ownToken(of: app.record))))
          }
        }
      }
    }
  }

  /// Ends all access of an app in the caller's libraries and forgets it there, its prompts
  /// included.
  ///
  /// An app is removed altogether if nobody else decided about it, has a prompt of it or gave it
  /// photos. An administrator revokes in the libraries of others instead, because a forgotten app
  /// could ask again. An app that got photos through another owner's picker stays known to that
  /// owner (R93).
  ///
  /// Callers may also remove an app of their own user that somebody else registered, whatever
  /// others decided about it. The same holds for one to which nobody else gives access and which
  /// asks nobody else. Neither holds where another owner's decision contradicts a rule: the rule
  /// would answer the app if it came back as a new one. Administrators may remove an app that is
  /// known only through forgotten grants.
  /// - Throws (by `completion`): `notFound`; `refused` where the caller may remove nothing of it;
  ///   `failed`.
  package func remove(_ identifier: AppIdentifier, completion: @escaping Completion<Receipt>) {
    attempt(completion) { () throws(BrokerError) in
      let app = try caller.app(identifier)
      let reached = broker.grants[app: identifier].filter {
        ($0.record.status != .notDetermined || $0.givesAccessNowOrSoon) && caller.reaches($0)
      }
      let noted = broker.grants[app: identifier].filter { $0.isForgotten && caller.isOwn($0) }
      let others = reached.filter { !caller.isOwn($0) }
      let questions = broker.prompts.all.filter { $0.record.key.app == identifier }
      let asked = questions.filter { caller.owns($0.library) }
      let givers = broker.libraries.values.filter { $0.pickerUses[identifier] != nil }
      // Registered and granted by others, perhaps against this user's will.
      if app.record.uid == caller.uid, app.record.bringer != nil, givers.allSatisfy(caller.owns), !isHeldOff(app) {
        return removeAltogether(app, completion: completion)
      }
      if asked.count == questions.count, givers.allSatisfy(caller.owns), isLetGo(app) {
        return removeAltogether(app, completion: completion)
      }
      let hasGiven = givers.contains(where: caller.owns)
      let isKnownElsewhere =
        asked.count < questions.count || !givers.allSatisfy(caller.owns)
        || broker.grants[app: identifier].contains {
          ($0.record.status != .notDetermined || $0.givesAccessNowOrSoon) && !caller.reaches($0)
            || $0.isForgotten && !caller.isOwn($0)
        }
      if !isKnownElsewhere, others.isEmpty,
        isOwn(app) || hasGiven || !reached.isEmpty || !asked.isEmpty || !noted.isEmpty
      {
        return removeAltogether(app, completion: completion)
      }
      guard !reached.isEmpty || !asked.isEmpty || !noted.isEmpty else {
        throw isKnownElsewhere
          ? BrokerError(
            .refused,
            "Other owners decided on this app, gave it photos or are asked by it, so only they can remove it."
          )
          : BrokerError(
            .refused,
            "This app has nothing in your libraries; its user, or the owners of the libraries that it uses, can "
              + "remove it."
          )
      }
      let mine = reached.filter { grant in !others.contains { $0 === grant } }
      // Keeps the app's name for decisions that mention it, whoever removes it altogether.
      let former = broker.appRegistrar.former(app)
      // Revokes first, so that access ends at once even if the rest fails.
      let gathered = CompletionGroup<Receipt>(count: 3) { result in completion(result.map { $0.reduce(Receipt(), +) }) }
      caller.grants.revoke(others.filter(\.givesAccessNowOrSoon)) { gathered.take($0) }
      forget(mine) { gathered.take($0) }
      withdraw(asked, and: noted, keeping: former) { failure in
        gathered.take(failure.map { .failure(.notKept($0, narrowed: true)) } ?? .success(Receipt()))
      }
    }
  }

  private func isOwn(_ app: App) -> Bool { app.record.uid == caller.uid || app.record.registrar == caller.uid }

  /// Whether nobody but the caller has a reason to keep the app. Past grants and denials within the
  /// cool-down count for an app of the caller's user. Any standing decision counts for other apps,
  /// and for apps with a system identity, because those would be found again.
  private func isLetGo(_ app: App) -> Bool {
    guard app.record.uid == caller.uid || caller.isAdministrator, !isHeldOff(app) else { return false }
    let now = broker.environment.now
    return broker.grants[app: app.identifier].allSatisfy { grant in
      if caller.isOwn(grant) || grant.record.status == .notDetermined && !grant.givesAccessNowOrSoon { return true }
      return app.record.uid == caller.uid && app.record.systemIdentity == nil && !grant.givesAccessNowOrSoon
        && !broker.tokens.wasEverGranted(grant.record.key.library, app.identifier)
        && (grant.record.role == .rule || grant.record.decided.advanced(by: BrokerLimits.coolDown) <= now)
    }
  }

  /// Whether another owner's decision contradicts a rule of that library. The rule would answer the
  /// app if it came back as a new one.
  private func isHeldOff(_ app: App) -> Bool {
    broker.grants[app: app.identifier].contains {
      !caller.isOwn($0) && broker.ruleEngine.contradictsRule($0, of: app.record)
    }
  }

  private func withdraw(
    _ questions: [Prompt], and noted: [GrantState], keeping former: StoreChange,
    completion: @escaping (StoreFailure?) -> Void
  ) {
    var changes: [StoreChange] =
      [former] + questions.flatMap { [.removePrompt($0.record.identifier), .decide(removal(of: $0))] }
    for question in questions { broker.promptService.close(question) }
    for grant in noted {
      grant.isNoted = false
      changes.append(.removeGrant(grant.record.key))
    }
    broker.store.commit(changes, completion: completion)
  }

  private func forget(_ grants: [GrantState], completion: @escaping Completion<Receipt>) {
    let gathered = CompletionGroup<Receipt>(count: grants.count) { result in
      completion(result.map { $0.reduce(Receipt(), +) })
    }
    for grant in grants {
      do throws(BrokerError) {
        let planned = try caller.grants.plan(
          GrantSettings(status: .notDetermined), of: grant.record.key, source: .settings
        ) {
          [self] outcome in
          caller.grants.finish(outcome) { gathered.take($0.map { $0.1 }) }
        }
        planned.edit.endsNote = true
        broker.editor.submit(planned.edit, on: planned.grant, in: planned.library)
      } catch {
        gathered.take(.failure(error))
      }
    }
  }

  /// - Parameter record: the one decision to record; nil records one for each of the app's grants.
  func removeAltogether(_ app: App, keeping record: StoreChange? = nil, completion: @escaping Completion<Receipt>) {
    let (grants, former) = (broker.grants[app: app.identifier], broker.appRegistrar.former(app))
    // The receipt reveals nothing about libraries outside the caller's reach.
    let used = grants.filter { $0.record.status.grantsAccess && caller.reaches($0) }.map(\.record.key)
    let recipients = broker.libraries.values.filter { caller.owns($0) || caller.isAdministrator }
      .map { GrantKey(library: $0.record.name, app: app.identifier, level: .readWrite) }
    var effect = NarrowingEffect()
    var changes: [StoreChange] = []
    for grant in grants {
      guard let library = broker.libraries[grant.record.key.library] else { continue }
      let key = grant.record.key
      if grant.record.status != .notDetermined {
        changes += [.removeGrant(key), .decide(removal(of: grant, in: library))]
      }
      effect = effect + broker.editor.end(grant, in: library)
    }
    for prompt in broker.prompts.all where prompt.record.key.app == app.identifier {
      changes += [.removePrompt(prompt.record.identifier), .decide(removal(of: prompt))]
    }
    effect = effect + broker.pickerService.endPicks { $0.app == app.identifier }
    for library in broker.libraries.values {
      guard let uses = library.pickerUses.removeValue(forKey: app.identifier) else { continue }
      changes.append(.decide(removal(of: uses, by: app, in: library)))
    }
    changes += [.removeApp(app.identifier), former] + (record.map { [$0] } ?? [])
    changes.append(broker.narrowingMark())
    broker.appRegistrar.forget(app)
    broker.store.commit(changes) { [broker] failure in
      if let failure { return completion(.failure(.notKept(failure, narrowed: true))) }
      broker.receipt(for: used, recipients: recipients, effect: effect) { completion(.success($0)) }
    }
  }

  private func removal(of question: Prompt) -> DecisionRecord {
    let key = question.record.key
    return DecisionRecord(
      time: broker.environment.now, by: caller.decider(in: question.library), action: "remove", library: key.library,
      app: key.app, level: key.level, before: "asks", after: AuthorizationStatus.notDetermined.name)
  }

  private func removal(of uses: PickerUses, by app: App, in library: LibraryState) -> DecisionRecord {
    DecisionRecord(
      time: broker.environment.now, by: caller.decider(in: library), action: "remove", library: library.record.name,
      app: app.identifier, before: "\(uses.assets) picked", after: "")
  }

  func removal(of grant: GrantState, in library: LibraryState) -> DecisionRecord {
    DecisionRecord(
      time: broker.environment.now, by: caller.decider(in: library), action: "remove",
      library: grant.record.key.library, app: grant.record.key.app, level: grant.record.key.level,
      before: grant.record.summary(selected: broker.selected(grant)), after: AuthorizationStatus.notDetermined.name)
  }
}

extension Receipt {
  static func + (a: Self, b: Self) -> Self {
    Receipt(
      grants: a.grants + b.grants, effect: a.effect + b.effect,
      delivered: Delivered(
        assets: a.delivered.assets + b.delivered.assets, bytes: a.delivered.bytes + b.delivered.bytes),
      decisions: a.decisions + b.decisions)
  }
}
