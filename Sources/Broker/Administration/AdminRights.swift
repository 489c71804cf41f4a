import Limits
import PhotoModel

/// The rights of other users, administrators and apps in the caller's libraries.
package struct AdminRights: AdminPart {
  let caller: AdminSession

  /// Changes the users to whom a library is offered.
  ///
  /// For a user who is left out the library stops existing at once (R127), and the prompts of that
  /// user's apps are withdrawn. A new offer asks the user, even one who accepted an earlier one. An
  /// administrator's offer counts as accepted, and so does a co-owner's offer to themselves, but no
  /// offer overrides a refusal. A change without effect is not recorded. The receipt is about the
  /// apps of users who are left out.
  /// - Parameters:
  ///   - users: the complete new set. Nil: the set at the time of the call, so that `adding` and
  ///     `removing` keep the recent changes of others.
  ///   - removing: wins over the others.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `failed`.
  package func offer(
    _ name: LibraryName, to users: Set<UInt32>?, adding: Set<UInt32> = [], removing: Set<UInt32> = [],
    completion: @escaping Completion<Receipt>
  ) {
    decide(.offers, in: name) {
      $0.offeredTo = (users ?? $0.offeredTo).union(adding).subtracting(removing)
    } completion: {
      completion($0.map(\.receipt))
    }
  }

  /// Refuses more users than the limit. A set that is already too large may shrink.
  static func checkOffer(_ users: Set<UInt32>, since before: Set<UInt32>) throws(BrokerError) {
    guard users.count <= BrokerLimits.usersPerLibrary || users.isSubset(of: before) else {
      throw .refused(
        .offeredToTooMany,
        "A library is offered to at most \(BrokerLimits.usersPerLibrary) users; leave some out.",
        ["limit": "\(BrokerLimits.usersPerLibrary)"])
    }
  }

  /// Changes one aspect of a library's rights. Restrictions hold at once, extensions after the
  /// commit. A change without effect is not recorded.
  ///
  /// Only the library's owners may call it, and of its delegation (R126, R130) its first owner
  /// alone; a co-owner can leave. A named user becomes a co-owner on accepting. An administrator's
  /// offer counts as accepted, and no offer overrides a refusal.
  /// - Parameter change: applied several times. It must have no side effects.
  /// - Throws (by `completion`): `notFound`, `notPermitted`, `refused`, `failed`.
  package func decide(
    _ aspect: LibraryAspect, in name: LibraryName, _ change: @escaping (inout LibraryRights) -> Void,
    completion: @escaping Completion<(library: LibraryState, receipt: Receipt)>
  ) {
    attempt(completion) { () throws(BrokerError) in
      let library = try caller.library(name)
      if aspect == .delegation {
        try checkMayDelegate(change, in: library)
      } else if !caller.owns(library) {
        throw .ownersOnly()
      }
      try decide(aspect, in: library, { completion($0.map { (library, $0) }) }, change)
    }
  }

  /// - Throws: `notPermitted` to a caller other than the owner, except a co-owner who only leaves.
  func checkMayDelegate(_ change: (inout LibraryRights) -> Void, in library: LibraryState) throws(BrokerError) {
    let owner = library.record.owner
    var (rights, left) = (library.configuration.planned.rights, library.configuration.planned.rights)
    change(&rights)
    rights.coOwners.remove(owner)
    left.coOwners.remove(caller.uid)
    guard owner == caller.uid || caller.owns(library) && rights == left else {
      throw .notPermitted("Only the library's owner chooses who decides in it; as a co-owner you can only leave.")
    }
  }

  /// Changes a library's rights by one decision, or by the undo of one. The caller has checked the
  /// right to do so.
  /// - Parameters:
  ///   - earlier: the decision that this one undoes.
  ///   - completion: gets a receipt about the apps of users to whom the library is offered no more.
  /// - Throws: `refused` for more users than the limits allow.
  func decide(
    _ aspect: LibraryAspect, in library: LibraryState, undoing earlier: UInt64? = nil,
    _ completion: @escaping Completion<Receipt>, _ change: @escaping (inout LibraryRights) -> Void
  ) throws(BrokerError) {
    let (uid, isForced, planned) = (caller.uid, caller.isAdministrator, library.configuration.planned)
    // A co-owner who leaves changes nobody else's role, even if other settings are being stored.
    let isLeaving = aspect == .delegation && planned.owner != uid
    func apply(to record: inout LibraryRecord) {
      guard !isLeaving else { return record[.coOwner, uid] = record[.coOwner, uid].narrowed(to: .none) }
      let before = record
      change(&record.rights)
      for role in Invitation.Role.allCases {
        for user in record.users(role).subtracting(before.users(role)) {
          // An acceptance ended with the former offer; only an undo brings it back without asking.
          if isForced || user == uid {
            record[role, user].offer(accepted: true)
          } else if earlier == nil {
            record[role, user].offer(accepted: false)
          }
        }
      }
    }
    var wanted = planned
    apply(to: &wanted)
    try Self.checkOffer(wanted.offeredTo, since: planned.offeredTo)
    let isFew = wanted.coOwners.count <= BrokerLimits.coOwnersPerLibrary
    guard isFew || wanted.coOwners.isSubset(of: planned.coOwners) else {
      throw .refused(
        .coOwnersTooMany, "A library has at most \(BrokerLimits.coOwnersPerLibrary) co-owners.",
        ["limit": "\(BrokerLimits.coOwnersPerLibrary)"])
    }
    guard earlier != nil || !library.configuration.restates(apply) else { return completion(.success(Receipt())) }
    let (name, decider) = (planned.name, caller.decider(in: library, source: earlier == nil ? .settings : .undo))
    keep(apply, in: library, staysNarrowed: true, completion) { [broker] before, after in
      let decision = DecisionRecord(
        time: broker.environment.now, by: decider, action: earlier == nil ? aspect.action : "undo", library: name,
        before: aspect.words(before), after: aspect.words(after), undoes: earlier)
      return (decision, DecisionChange(.library(ValueChange(before.rights, after.rights))))
    }
  }

  /// Stores a change of a library's settings as a decision, and ends the access that apps lose by it.
  /// - Parameters:
  ///   - staysNarrowed: whether restrictions stay in force if the store fails.
  ///   - completion: gets a receipt about the apps of users for whom the library exists no more.
  func keep(
    _ apply: @escaping (inout LibraryRecord) -> Void, in library: LibraryState, staysNarrowed: Bool,
    _ completion: @escaping Completion<Receipt>,
    decision: @escaping (_ before: LibraryRecord, _ after: LibraryRecord) -> (DecisionRecord, DecisionChange?)
  ) {
    let (audience, owners, record) = (library.audience, library.owners, library.record)
    let setting = library.configuration.plan(apply)
    if record.sharesOriginals, !library.record.sharesOriginals { broker.contentNarrowed(in: record.name) }
    let (ended, effect) = endUse(of: library, offeredBefore: audience)
    let asked = broker.promptService.questionsOfStrangers(in: library)
    let number = DecisionNumber()
    library.configuration.keep(setting, staysNarrowed: staysNarrowed) { [broker] before, after in
      let (decision, change) = decision(before, after)
      return [.decide(decision, change: change, number: number)]
        + (before.isNarrowed(by: after) ? [broker.narrowingMark()] : [])
        + asked.map { .removePrompt($0.record.identifier) }
    } completion: { [broker] error in
      if error == nil || staysNarrowed { broker.promptService.withdraw(asked) }
      if let error { return completion(.failure(error)) }
      if (owners, record.administratorsDecide) != (library.owners, library.record.administratorsDecide) {
        broker.delegate?.promptsChanged(owners: owners.union(library.owners))
        broker.ruleEngine.rulesChanged(in: record.name)
      }
      broker.receipt(for: ended, effect: effect, decisions: [number.value].compactMap { $0 }) {
        completion(.success($0))
      }
    }
  }

  /// Ends the access of apps to whose users the library is not offered any more.
  /// - Parameter before: the users to whom it was offered until now.
  func endUse(of library: LibraryState, offeredBefore before: Set<UInt32>) -> (
    ended: [GrantKey], effect: NarrowingEffect
  ) {
    func isTold(_ app: AppIdentifier) -> Bool { broker.apps[app].map { library.isOffered(to: $0.record.uid) } ?? false }
    var ended: [GrantKey] = []
    var effect = NarrowingEffect()
    for grant in broker.grants(in: library.record.name)
    where grant.record.status.grantsAccess && !isTold(grant.record.key.app) {
      guard let app = broker.apps[grant.record.key.app], before.contains(app.record.uid) else { continue }
      effect = effect + broker.editor.invalidate(grant)
      ended.append(grant.record.key)
    }
    effect = effect + NarrowingEffect(connections: broker.childTokens.endUse(of: library))
    broker.deletionService.withdrawEnded()
    return (ended, effect + broker.pickerService.endPicks { $0.library == library.record.name && !isTold($0.app) })
  }
}

extension BrokerError {
  static func deletionsRefused() -> Self {
    photos(
      .changeNotSupported,
      "The owner of this library lets no app delete photos; hide them in your own list, or ask the owner to delete "
        + "them."
    )
  }
}
