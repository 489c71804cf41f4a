import Limits
import PhotoModel

/// Registers, updates and forgets apps.
struct AppRegistrar {
  let broker: Broker

  /// Registers a new app. `completion` is called after the commit; the token is of no use before.
  /// - Parameters:
  ///   - registrar: the user who registers it; nil: the app introduces itself.
  ///   - deciding: the decisions to record with it.
  /// - Throws: `limitExceeded` if the user has, or registered for others,
  ///   `BrokerLimits.appsPerUser` apps that have a decision or are running.
  func register(
    _ manifest: Manifest, _ identity: VerifiedIdentity, registrar: UInt32? = nil,
    deciding: (AppRecord) -> [DecisionRecord] = { _ in [] },
    completion: @escaping Completion<App>
  ) throws(BrokerError) {
    var changes = try makeRoom(for: identity.uid, registrar: registrar)
    let record = AppRecord(
      identifier: broker.newIdentifier(), manifest: manifest, uid: identity.uid,
      systemIdentity: identity.systemIdentity,
      executable: identity.executable, isInterpreter: identity.isInterpreter, introduced: broker.environment.now,
      accessor: broker.newAccessor(), registrar: registrar)
    let app = App(record: record)
    broker.apps.insert(app)
    changes += [.putApp(record), .putToken(ownToken(of: record))]
    changes += broker.tokens.note(changes)
    broker.store.commit(changes + deciding(record).map { .decide($0, change: DecisionChange(.addedApp)) }) {
      [self] failure in
      guard let failure else { return completion(.success(app)) }
      broker.apps.remove(app)
      broker.tokens.forget(app.identifier)
      completion(.failure(.notKept(failure, narrowed: false)))
    }
  }

  /// Updates an app's manifest; its verified identity stays.
  ///
  /// Prompts whose words change are renewed, because an answer holds for the words that were read.
  /// If the manifest stops giving a reason for a level, prompts for that level close and its open
  /// calls end. A new display name is recorded in each library that has a decision about the app.
  func update(_ app: App, manifest: Manifest, completion: @escaping Completion<App>) {
    guard app.record.manifest != manifest else { return completion(.success(app)) }
    let renaming = renaming(of: app, to: manifest)
    // A limit keeps an app from hiding from its owner under many names.
    guard renaming.isEmpty || app.noteRenaming(at: broker.environment.monotonic) else {
      return completion(.failure(.renamedTooOften))
    }
    var record = app.record
    record.manifest = manifest
    // The old prompts are removed in the same commit, so that a restart finds none with new words.
    let asked = questions(of: app, otherThan: manifest)
    broker.store.commit([.putApp(record)] + asked.map { .removePrompt($0.record.identifier) } + renaming) {
      [self] failure in
      if let failure { return completion(.failure(.notKept(failure, narrowed: false))) }
      let before = app.record.manifest
      app.record.manifest = manifest
      for grant in broker.grants[app: app.identifier] where grant.record.status.grantsAccess {
        let level = grant.record.key.level
        if App.describes(level, in: before), !app.describes(level) { _ = broker.editor.invalidate(grant) }
      }
      broker.notedDescriptions = broker.notedDescriptions.filter { $0.app != app.identifier }
      for prompt in questions(of: app, otherThan: manifest) { broker.promptService.renew(prompt, of: app) }
      broker.pickerService.renew(of: app)
      broker.deletionService.withdrawEnded()
      completion(.success(app))
    }
  }

  /// The decisions that record a new display name, one for each library with a decision about the
  /// app.
  private func renaming(of app: App, to manifest: Manifest) -> [StoreChange] {
    let (before, after) = (app.record.manifest.displayName, manifest.displayName)
    guard before != after else { return [] }
    let libraries = Set(
      broker.grants[app: app.identifier].lazy.filter { $0.record.status != .notDetermined }.map(\.record.key.library))
    return libraries.sorted().map { library in
      .decide(
        DecisionRecord(
          time: broker.environment.now, by: app.decider, action: "rename", library: library, app: app.identifier,
          before: "called \(before)", after: "called \(after)"))
    }
  }

  private func questions(of app: App, otherThan manifest: Manifest) -> [Prompt] {
    broker.prompts.all.filter { prompt in
      prompt.record.key.app == app.identifier && !prompt.isBeingAnswered && prompt.isOutdated(manifest)
    }
  }

  /// Forgets an app: its grants end, its tokens become invalid and its connections close. The
  /// caller stores that.
  func forget(_ app: App) {
    let open = broker.sessions.sessions(of: app.identifier)
    for grant in broker.grants[app: app.identifier] {
      if let prompt = broker.prompts[grant.record.key] { broker.promptService.close(prompt) }
      broker.grants.remove(grant)
    }
    for prompt in broker.prompts.all where prompt.record.key.app == app.identifier {
      broker.promptService.close(prompt)
    }
    broker.apps.remove(app)
    broker.tokens.forget(app.identifier)
    broker.lifeCycles.forget(app.identifier)
    for session in open { broker.delegate?.closeSession(session) }
  }

  func ownToken(of app: AppRecord) -> TokenRecord {
    TokenRecord(
      accessor: app.accessor, app: app.identifier, grant: nil, minted: broker.environment.now, isRevoked: false)
  }

  /// Records once per level that an app asked without giving a reason (R31).
  func noteMissingDescription(_ app: App, _ key: GrantKey) -> BrokerError {
    if broker.notedDescriptions.insert(key).inserted {
      let status = broker.grants[key]?.status(broker.environment).name ?? AuthorizationStatus.notDetermined.name
      broker.store.commit([
        .decide(
          DecisionRecord(
            time: broker.environment.now, actor: app.record.uid, role: .app, source: .app,
            origin: app.record.executable ?? "",
            action: "usageDescriptionMissing", key: key, before: status, after: status))
      ]) { _ in }
    }
    let name = App.usageKey(key.level)
    return BrokerError(
      .usageDescriptionMissing(key: name),
      "The manifest gives no reason for this access; write it in \(name), and introduce the app again."
    )
  }

  func wasGiven(_ app: AppIdentifier) -> Bool { broker.libraries.values.contains { $0.pickerUses[app] != nil } }

  /// Makes room for one more app of a user by forgetting the oldest idle one: without decision,
  /// photos, prompt or connection. Without such an app it forgets an idle one whose decisions owners
  /// have forgotten. Otherwise owners who forget decisions could lock a user out.
  private func makeRoom(for uid: UInt32, registrar: UInt32?) throws(BrokerError) -> [StoreChange] {
    let known = neighbours(of: uid, registrar: registrar)
    guard known.count >= BrokerLimits.appsPerUser else { return [] }
    let asking = Set(broker.prompts.all.map(\.record.key.app))
    let idle = known.filter { app in
      broker.grants[app: app.identifier].allSatisfy { $0.record.status == .notDetermined && $0.edits.isEmpty }
        && !asking.contains(app.identifier)
        && !wasGiven(app.identifier) && broker.sessions.count(of: app.identifier) == 0
    }
    let unknown = idle.first { broker.grants[app: $0.identifier].allSatisfy { !$0.isNoted } }
    guard let leaving = unknown ?? idle.first else {
      throw .photos(
        .limitExceeded, "There are \(BrokerLimits.appsPerUser) apps of this user already; remove one that is not used.")
    }
    let former = unknown == nil ? [former(leaving)] : []
    forget(leaving)
    return [.removeApp(leaving.identifier)] + former
  }

  /// Stores an app's claimed name for the records that mention it.
  func former(_ app: App) -> StoreChange {
    let isForeign = { (library: LibraryState?) in library.map { $0.record.owner != app.record.uid } ?? false }
    let isKnownToOthers =
      broker.formerApps[app.identifier]?.isKnownToOthers ?? false
      || broker.grants[app: app.identifier].contains {
        ($0.record.status != .notDetermined || $0.isNoted) && isForeign(broker.libraries[$0.record.key.library])
      }
      || broker.prompts.all.contains { $0.record.key.app == app.identifier && isForeign($0.library) }
      || broker.libraries.values.contains { $0.pickerUses[app.identifier] != nil && isForeign($0) }
    let former = FormerApp(
      identifier: app.identifier, claimed: app.record.manifest.identifier, uid: app.record.uid,
      isKnownToOthers: isKnownToOthers)
    broker.formerApps.insert(former)
    return .noteFormerApp(former)
  }

  /// The apps that count against the same limit as a new one. Apps that a user registers for others
  /// share one limit of that user's, so that nobody loses an app of their own through them. Apps
  /// that administrators register are counted for each user.
  private func neighbours(of uid: UInt32, registrar: UInt32?) -> [App] {
    guard let registrar, registrar != uid else { return broker.apps.apps(of: uid).filter { $0.record.bringer == nil } }
    let brought = broker.apps.apps(broughtBy: registrar)
    return broker.administrators.contains(registrar) ? brought.filter { $0.record.uid == uid } : brought
  }
}

extension BrokerError {
  static let changesAlbumsTooOften = BrokerError.photos(
    .limitExceeded,
    "The app changed albums of others too often: at most \(BrokerLimits.albumChangesPerHour) times an hour, and "
      + "\(BrokerLimits.albumTakingsPerDay) times a day if it removes something (\(BrokerLimits.albumTakingsPerUser) "
      + "for all apps of a user). Put all changes of an album into one request, which counts once, and change others "
      + "later."
  )
  static let renamedTooOften = BrokerError.photos(
    .limitExceeded,
    "The app changed its name too often: at most \(BrokerLimits.renamingsPerHour) times an hour. Introduce it with "
      + "its present name."
  )
}
