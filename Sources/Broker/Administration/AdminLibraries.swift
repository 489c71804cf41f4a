import Limits
import PhotoModel

/// The caller's libraries: adding, setting up and removal.
package struct AdminLibraries: AdminPart {
  let caller: AdminSession

  /// The caller's libraries, or all for an administrator, by name.
  package var list: [LibraryState] {
    broker.libraries.values.filter { caller.owns($0) || caller.isAdministrator }.sorted {
      $0.record.name < $1.record.name
    }
  }

  /// Adds an empty library; the indexer fills it later. Its owner is the caller, or the user whom
  /// root names.
  /// - Throws (by `completion`): `refused` for a taken name, too many libraries of the owner or an
  ///   invalid time zone offset; `notPermitted`; `failed`.
  package func add(
    _ name: LibraryName, backend: String, options: [String: String], owner: UInt32? = nil, offeredTo: Set<UInt32> = [],
    zoneName: String? = nil, zoneOffsetMinutes: Int32 = 0, plugins: LibraryPlugins = LibraryPlugins(),
    completion: @escaping Completion<LibraryState>
  ) {
    attempt(completion) { () throws(BrokerError) in
      let owner = owner ?? caller.uid
      try checkAdding(for: owner)
      guard broker.libraries[name] == nil, broker.reservedLibraries[name] == nil else {
        throw .refused(.libraryNameTaken, "A library of this name is there already; choose another name.")
      }
      guard abs(Int64(zoneOffsetMinutes)) <= 14 * 60 else {
        throw .refused("The time zone must be -840 to 840 minutes east of UTC.")
      }
      try AdminRights.checkOffer(offeredTo.union([owner]), since: [])
      broker.reservedLibraries[name] = owner
      var record = LibraryRecord(
        name: name, owner: owner, backend: backend, options: options, offeredTo: offeredTo.union([owner]),
        zoneOffsetMinutes: zoneOffsetMinutes, rootKey: broker.environment.randomBytes(32), plugins: plugins)
      record.zoneName = zoneName
      if caller.isAdministrator { for user in offeredTo { record[.user, user].offer(accepted: true) } }
      let role: DecisionRole = owner == caller.uid ? .owner : .administrator
      let decision = DecisionRecord(
        time: broker.environment.now,
        by: Decider(uid: caller.uid, role: caller.actsByRule ? .rule : role, origin: caller.origin, source: .settings),
        action: "add", library: name, before: "",
        after: "owner \(owner), offered to " + DecisionRecord.list(record.offeredTo))
      broker.store.commit([.putLibrary(record), .decide(decision, change: DecisionChange(.addedLibrary))]) {
        [broker, record] failure in
        broker.reservedLibraries[record.name] = nil
        if let failure { return completion(.failure(.notKept(failure, narrowed: false))) }
        let library = LibraryState(
          contents: LibraryContents(record: record), store: broker.store, environment: broker.environment,
          broker: broker)
        broker.libraries[record.name] = library
        completion(.success(library))
      }
    }
  }

  /// Checks that the caller may add a library for this owner, and that no limit is reached. Root
  /// has no limit.
  /// - Throws: `notPermitted`, `refused`.
  package func checkAdding(for owner: UInt32) throws(BrokerError) {
    guard caller.uid != 0 else { return }
    guard owner == caller.uid else {
      throw .notPermitted("Only root can add a library for another user; leave the owner out.")
    }
    let kept = broker.libraries.values.lazy.filter { $0.record.owner == owner }.count
    let coming = broker.reservedLibraries.values.lazy.filter { $0 == owner }.count
    guard kept + coming < BrokerLimits.librariesPerOwner else {
      throw .refused(
        "An owner has at most \(BrokerLimits.librariesPerOwner) libraries; remove one that is not used, or let root "
          + "add this one.")
    }
    guard broker.roomForLibraries(of: owner) > 0 else {
      throw .refused(
        "The broker has open files and memory for \(Amount.count(broker.bounds.libraries, "library", "libraries")) of "
          + "all users, and your share is used up. Remove a library that is not used, let root add this one, or give "
          + "the service more of both.")
    }
  }

  /// Changes a library's plugin settings. The caller checks them with the plugins first, and
  /// reopens the affected plugins on completion.
  /// - Parameter credentials: names of secret options that are set or removed at the same time, for
  ///   the record of decisions.
  /// - Throws (by `completion`): `notFound`; `notPermitted` to a caller who does not own the
  ///   library; `refused`; `failed`.
  package func setUp(
    _ name: LibraryName, _ setup: LibrarySetup, credentials: [String] = [],
    completion: @escaping Completion<LibraryState>
  ) {
    attempt(completion) { () throws(BrokerError) in
      try setUp(try caller.ownedLibrary(name), setup, credentials: credentials, completion: completion)
    }
  }

  /// Changes plugin settings as part of a plugin upgrade, in a library of any owner: the right to
  /// install a plugin includes the right to set it up.
  /// - Throws (by `completion`): `notFound`, `refused`, `failed`.
  package func setUpForUpgrade(
    _ name: LibraryName, _ setup: LibrarySetup, completion: @escaping Completion<LibraryState>
  ) {
    attempt(completion) { () throws(BrokerError) in
      guard let library = broker.libraries[name] else { throw .unknownLibrary() }
      try setUp(library, setup, credentials: [], completion: completion)
    }
  }

  private func setUp(
    _ library: LibraryState, _ setup: LibrarySetup, credentials: [String],
    completion: @escaping Completion<LibraryState>
  ) throws(BrokerError) {
    var record = library.configuration.planned
    setup.apply(to: &record)
    let plugins = record.plugins
    let count =
      record.options.count + plugins.mappingOptions.count + plugins.policyOptions.values.reduce(0) { $0 + $1.count }
    guard count <= BrokerLimits.optionsPerLibrary else {
      throw .refused("A library has at most \(BrokerLimits.optionsPerLibrary) options; remove some.")
    }
    let what = ([setup.summary] + credentials.map { "credential " + $0 }).filter { !$0.isEmpty }.joined(separator: ", ")
    let decider = caller.decider(in: library)
    library.configuration.keep(library.configuration.plan(setup.apply), staysNarrowed: false) { [broker] _, _ in
      let decision = DecisionRecord(
        time: broker.environment.now, by: decider, action: "set up", library: library.record.name, before: "",
        after: what)
      // New options may restrict the assets that a storage lists or a policy shows, so an older
      // database must be recognized as old (R144).
      return [.decide(decision)] + (setup.options == nil && setup.policyOptions.isEmpty ? [] : [broker.narrowingMark()])
    } completion: {
      completion($0.map { .failure($0) } ?? .success(library))
    }
  }

  /// Removes a library with its grants, selections, ledger and keys. The owner's files stay (R128).
  /// When this returns, the library is served no more.
  /// - Throws (by `completion`): `notFound`; `notPermitted` to administrators other than root;
  ///   `failed`.
  package func remove(_ name: LibraryName, completion: @escaping Completion<Receipt>) {
    attempt(completion) { () throws(BrokerError) in
      let library = try caller.library(name)
      guard library.record.owner == caller.uid || caller.uid == 0 else { throw .ownersOnly() }
      let used = broker.grants(in: name).count { $0.record.status.grantsAccess }
      // Removal deletes the ledger, so the receipt reads it first.
      broker.store.delivered(library: name, app: nil) { [self] delivered in
        remove(library, Receipt(grants: used, delivered: delivered), completion)
      }
    }
  }

  /// - Parameter record: the one decision to record; nil records one for each of the library's
  ///   grants.
  func remove(
    _ library: LibraryState, _ delivered: Receipt, keeping record: StoreChange? = nil,
    _ completion: @escaping Completion<Receipt>
  ) {
    let name = library.record.name
    guard broker.libraries[name] === library else { return completion(.failure(.unknownLibrary())) }
    broker.libraries[name] = nil
    library.configuration.end()
    var receipt = delivered
    var changes: [StoreChange] = []
    for grant in broker.grants.all where grant.record.key.library == name {
      if grant.record.status != .notDetermined { changes.append(.decide(caller.apps.removal(of: grant, in: library))) }
      receipt.effect = receipt.effect + broker.editor.end(grant, in: library)
      broker.grants.remove(grant)
    }
    for prompt in broker.prompts.all where prompt.record.key.library == name {
      changes.append(.removePrompt(prompt.record.identifier))
      broker.promptService.close(prompt)
    }
    receipt.effect = receipt.effect + broker.pickerService.endPicks { $0.library == name }
    broker.deletionService.withdrawEnded()
    broker.tokens.forget(name)
    broker.rules.forget(name)
    broker.prompts.backoff.forget(name)
    broker.libraryNotes.forget(name)
    if let record { changes.append(record) }
    changes += [.removeLibrary(name), broker.narrowingMark()]
    broker.store.commit(changes) { failure in
      completion(failure.map { .failure(.notKept($0, narrowed: true)) } ?? .success(receipt))
    }
  }
}
