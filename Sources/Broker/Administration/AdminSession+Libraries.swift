import Limits
import PhotoModel

extension AdminSession {
  /// Puts a new, empty library into service; what is in it is the indexer's to find. The caller
  /// becomes its owner, or whom root names.
  /// - Throws (by `completion`): `refused` where the name is taken, the owner has too many, or the
  ///   offset is no time zone's; `notPermitted`; `failed`.
  package func addLibrary(
    _ name: LibraryName, backend: String, options: [String: String], owner: UInt32? = nil, offeredTo: Set<UInt32> = [],
    zoneName: String? = nil, zoneOffsetMinutes: Int32 = 0, plugins: LibraryPlugins = LibraryPlugins(),
    completion: @escaping (Result<LibraryState, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let owner = owner ?? uid
      try checkAdding(for: owner)
      guard broker.libraries[name] == nil, broker.reservedLibraries[name] == nil else {
        throw BrokerError(.refused, "A library of this name is there already; choose another name.")
      }
      guard abs(Int64(zoneOffsetMinutes)) <= 14 * 60 else {
        throw BrokerError(.refused, "The time zone must be -840 to 840 minutes east of UTC.")
      }
      try Self.checkOffer(offeredTo.union([owner]), since: [])
      broker.reservedLibraries[name] = owner
      var record = LibraryRecord(
        name: name, owner: owner, backend: backend, options: options, offeredTo: offeredTo.union([owner]),
        zoneOffsetMinutes: zoneOffsetMinutes, rootKey: broker.environment.randomBytes(32), plugins: plugins)
      record.zoneName = zoneName
      if isAdministrator { record.acceptedBy = record.offeredTo }
      let role: DecisionRole = owner == uid ? .owner : .administrator
      let decision = DecisionRecord(
        time: broker.environment.now,
        by: Decider(uid: uid, role: actsByRule ? .rule : role, origin: origin, source: .settings),
        action: "add", library: name, before: "", after: "owner \(owner), offered to " + Self.list(record.offeredTo))
      broker.store.keep([.putLibrary(record), .decide(decision, change: .addedLibrary)]) { [broker, record] failure in
        broker.reservedLibraries[record.name] = nil
        if let failure { return completion(.failure(.notKept(failure, narrowed: false))) }
        let library = LibraryState(
          contents: LibraryContents(record: record), store: broker.store, environment: broker.environment)
        broker.insert(library)
        completion(.success(library))
      }
    } catch {
      completion(.failure(error))
    }
  }

  /// Refuses what is to be another user's, and one more library of who has as many as one may have,
  /// or where there is no room for more. Root adds them without end.
  /// - Throws: `notPermitted`, `refused`.
  package func checkAdding(for owner: UInt32) throws(BrokerError) {
    guard uid != 0 else { return }
    guard owner == uid else {
      throw BrokerError(.notPermitted, "Only root can add a library for another user; leave the owner out.")
    }
    let kept = broker.libraries.values.lazy.filter { $0.record.owner == owner }.count
    let coming = broker.reservedLibraries.values.lazy.filter { $0 == owner }.count
    guard kept + coming < BrokerLimits.librariesPerOwner else {
      throw BrokerError(
        .refused,
        "An owner has at most \(BrokerLimits.librariesPerOwner) libraries; remove one that is not used, or let root add this one."
      )
    }
    guard broker.roomForLibraries(of: owner) > 0 else {
      throw BrokerError(
        .refused,
        "The broker has open files and memory for \(broker.bounds.libraries) libraries of all users, and a user other than its own has no "
          + "more of them than are left for all others. Remove one that is not used, or let root add this one, or give the service more of both."
      )
    }
  }

  /// Changes to whom a library is offered. For users who are left out it no longer exists, at once
  /// (R127), and what their apps ask is asked no more. Where that holds already nothing is entered.
  /// What an administrator offers counts as accepted: who runs the machine says what its users'
  /// programs ask; and so does what a co-owner offers to themselves. The receipt is about the apps
  /// of users who are left out.
  /// - Parameters:
  ///   - users: nil: those that hold when this is called, so that `adding` and `removing` undo
  ///     nothing of what others just changed.
  ///   - removing: wins over the others.
  ///   - earlier: the decision that this takes back.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `failed`.
  package func offer(
    _ name: LibraryName, to users: Set<UInt32>?, adding: Set<UInt32> = [], removing: Set<UInt32> = [],
    undoing earlier: UInt64? = nil,
    completion: @escaping (Result<Receipt, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      let library = try ownedLibrary(name)
      let (isForced, uid) = (isAdministrator, uid)
      func apply(to record: inout LibraryRecord) {
        let before = record.offeredTo
        record.offeredTo = (users ?? record.offeredTo).union(adding).subtracting(removing).union([record.owner])
        let joiners = record.offeredTo.subtracting(before)
        record.acceptedBy.formUnion(isForced ? joiners : joiners.intersection([uid]))
      }
      let (audience, planned) = (library.audience, library.planned)
      var wanted = planned
      apply(to: &wanted)
      try Self.checkOffer(wanted.offeredTo, since: planned.offeredTo)
      guard earlier != nil || !library.restates(apply) else { return completion(.success(Receipt())) }
      let decider = decider(in: library, source: earlier == nil ? .settings : .undo)
      let setting = library.plan(apply)
      let (ended, effect) = broker.endUse(of: library, offeredBefore: audience)
      let asked = broker.questionsOfStrangers(in: library)
      let number = DecisionNumber()
      library.keep(setting, staysNarrowed: true) { [broker] before, after in
        let decision = DecisionRecord(
          time: broker.environment.now, by: decider, action: earlier == nil ? "offer" : "undo", library: name,
          before: Self.list(before.offeredTo), after: Self.list(after.offeredTo), undoes: earlier)
        return broker.changes(decision, from: before, to: after, number)
          + asked.map { .removePrompt($0.record.identifier) }
      } completion: { [broker] error in
        // What was taken away stays away, kept or not.
        broker.withdraw(asked)
        if let error { return completion(.failure(error)) }
        broker.receipt(for: ended, effect: effect, decisions: [number.value].compactMap { $0 }) {
          completion(.success($0))
        }
      }
    } catch {
      completion(.failure(error))
    }
  }

  /// Refuses more users than a library may be offered to; fewer of too many are let pass.
  private static func checkOffer(_ users: Set<UInt32>, since before: Set<UInt32>) throws(BrokerError) {
    guard users.count <= BrokerLimits.usersPerLibrary || users.isSubset(of: before) else {
      throw BrokerError(
        .refused, .offeredToTooMany,
        "A library is offered to at most \(BrokerLimits.usersPerLibrary) users; leave some out.",
        ["limit": "\(BrokerLimits.usersPerLibrary)"])
    }
  }

  /// Users for the record of decisions.
  static func list(_ users: Set<UInt32>) -> String {
    users.isEmpty ? "nobody" : "users " + users.sorted().map(String.init).joined(separator: " ")
  }

  /// Forgets a library: grants, selections, ledger and keys. The owner's files stay as they are
  /// (R128). Nothing of it is served any longer when this returns.
  /// - Throws (by `completion`): `notFound`; `notPermitted` to administrators other than root;
  ///   `failed`.
  package func removeLibrary(_ name: LibraryName, completion: @escaping (Result<Receipt, BrokerError>) -> Void) {
    do throws(BrokerError) {
      let library = try library(name)
      guard library.record.owner == uid || uid == 0 else { throw .ownersOnly() }
      let used = broker.grants(in: name).count { $0.record.status.grantsAccess }
      // The ledger goes with the library: what it says is asked before, of apps too of which
      // nothing else is known any more.
      let carried = Confined { [self] (delivered: Delivered) in
        remove(library, Receipt(grants: used, delivered: delivered), completion)
      }
      broker.store.delivered(library: name, app: nil) { carried.value($0) }
    } catch {
      completion(.failure(error))
    }
  }

  /// - Parameter record: of the decision, where it is not one about each of the library's grants.
  func remove(
    _ library: LibraryState, _ delivered: Receipt, keeping record: StoreChange? = nil,
    _ completion: @escaping (Result<Receipt, BrokerError>) -> Void
  ) {
    let name = library.record.name
    guard broker.libraries[name] === library else { return completion(.failure(.unknownLibrary())) }
    broker.libraries[name] = nil
    library.endSettings()
    var receipt = delivered
    var changes: [StoreChange] = []
    for grant in broker.grants.all where grant.record.key.library == name {
      if grant.record.status != .notDetermined { changes.append(.decide(removal(of: grant, in: library))) }
      receipt.effect = receipt.effect + broker.editor.end(grant, in: library)
      broker.grants.remove(grant)
    }
    for prompt in broker.prompts.all where prompt.record.key.library == name {
      changes.append(.removePrompt(prompt.record.identifier))
      broker.close(prompt)
    }
    receipt.effect = receipt.effect + broker.endPicks { $0.library == name }
    broker.tokens.forget(name)
    broker.rules.forget(name)
    broker.prompts.dismissals.forget(name)
    broker.forgetStorage(of: name)
    if let record { changes.append(record) }
    changes += [.removeLibrary(name), broker.narrowingMark()]
    broker.store.keep(changes) { failure in
      completion(failure.map { .failure(.notKept($0, narrowed: true)) } ?? .success(receipt))
    }
  }
}

extension Broker {
  /// What is kept of a decision about a library as a whole, beside its record.
  func changes(
    _ decision: DecisionRecord, from before: LibraryRecord, to after: LibraryRecord, _ number: DecisionNumber?
  ) -> [StoreChange] {
    let change = DecisionChange.library(before: LibraryRights(before), after: LibraryRights(after))
    return [.decide(decision, change: change, number: number)] + (before.isNarrowed(by: after) ? [narrowingMark()] : [])
  }
}
