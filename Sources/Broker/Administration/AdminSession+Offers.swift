import Limits

/// A library that somebody offers to the caller's programs or invites the caller to co-own.
package struct Offer: Sendable, Equatable {
  package let library: LibraryName
  package let owner: UInt32
  /// The caller's answer for their programs; nil: the library is not offered to them.
  package let programs: State?
  /// The caller's answer to the invitation as co-owner; nil: there is none.
  package let coOwnership: State?

  package enum State: String, Sendable { case waiting, accepted, declined }

  /// Whether the caller accepted every part.
  package var isAccepted: Bool { isAll(.accepted) }
  /// Whether the caller declined every part.
  package var isDeclined: Bool { isAll(.declined) }

  private func isAll(_ state: State) -> Bool { [programs, coOwnership].allSatisfy { $0 == nil || $0 == state } }
}

/// The receipt of an answer to an offer, and the answer that it replaces.
package typealias AnsweredOffer = (receipt: Receipt, before: OfferAnswer)

/// Any owner may offer a library to any user and invite any user as co-owner. The invited user
/// decides whether it takes effect.
extension AdminSession {
  /// Offers and invitations to the caller, declined ones too, sorted by library name.
  package var offers: [Offer] {
    broker.libraries.values.filter { $0.record.concerns(uid) }.map { library in
      let record = library.record
      func state(isAccepted: Bool, isDeclined: Bool) -> Offer.State {
        isAccepted ? .accepted : isDeclined ? .declined : .waiting
      }
      return Offer(
        library: record.name, owner: record.owner,
        programs: record.offeredTo.contains(uid)
          ? state(isAccepted: library.isTaken(by: uid), isDeclined: library.declining.contains(uid)) : nil,
        coOwnership: record.coOwners.contains(uid)
          ? state(isAccepted: library.isOwner(uid), isDeclined: library.refusing.contains(uid)) : nil)
    }.sorted { $0.library < $1.library }
  }

  /// Accepts or declines parts of an offer.
  ///
  /// Until an offer is accepted, the caller's programs reach the library only by naming it, and the
  /// caller is no co-owner. A declined library stops existing for the caller's programs at once,
  /// even if it is offered again. Pending prompts of theirs are withdrawn, and the caller decides
  /// nothing in it. Decisions about the programs hold again after an acceptance. A repeated answer
  /// changes nothing and is not recorded.
  ///
  /// The receipt is about the caller's apps. The owner sees the decision and cannot undo it. If the
  /// store fails everything is restored. The completion also gets the earlier answer, with which
  /// the caller can undo this one.
  /// - Parameter owner: the library's owner; nil is any owner.
  /// - Throws (by `completion`): `notFound` for a missing library, another owner's, one that is not
  ///   offered, or an acceptance of a part that is not offered, without distinction; `refused` for
  ///   the caller's own library, for an owner whose offers the caller all declines, and for
  ///   acceptances beyond `BrokerLimits.acceptancesPerHour`; `failed`.
  package func answerOffer(
    _ name: LibraryName, _ answer: OfferAnswer, of owner: UInt32? = nil,
    completion: @escaping (Result<AnsweredOffer, BrokerError>) -> Void
  ) {
    inTurn(completion) { [self] completion throws(BrokerError) in try take(answer, to: name, of: owner, completion) }
  }

  private func take(
    _ answer: OfferAnswer, to name: LibraryName, of owner: UInt32?,
    _ completion: @escaping (Result<AnsweredOffer, BrokerError>) -> Void
  ) throws(BrokerError) {
    guard let library = broker.libraries[name], library.record.owner == uid || library.record.concerns(uid),
      owner == nil || library.record.owner == owner
    else { throw .unknownOffer() }
    guard library.record.owner != uid else {
      throw BrokerError(
        .refused, .alreadyOwn,
        "The library is your own, so your programs can always ask for it. Remove the library to end that.")
    }
    guard !answer.accepts || library.record.offers(answer, to: uid) else { throw .unknownOffer() }
    guard !answer.accepts || !library.decliners.contains(uid) else {
      throw BrokerError(
        .refused, .userDeclined,
        "You declined all offers of user \(library.record.owner); accept them again first (library accept --from "
          + "\(library.record.owner)).",
        ["user": "\(library.record.owner)"])
    }
    let uid = uid
    let (before, owners, former) = (library.audience, library.owners, library.planned.answer(of: uid))
    var wanted = library.planned
    wanted.take(answer, of: uid)
    guard wanted != library.planned else { return completion(.success((Receipt(), before: former))) }
    // Declining is immediate and unlimited; only acceptances count against the limit.
    if wanted.isNarrowed(by: library.planned) { try noteAcceptance(in: [library]) }
    let setting = library.plan { $0.take(answer, of: uid) }
    let (ended, effect) = broker.endUse(of: library, offeredBefore: before)
    let asked = answer.declinesPrograms ? broker.questions(of: uid, in: [library]) : []
    // Restored on failure: otherwise the caller's retry would look like a repeated answer.
    library.keep(setting, staysNarrowed: false) { [self] before, after in
      let action = Self.action(from: before.answer(of: uid), to: after.answer(of: uid))
      let answered: [StoreChange] = [
        .decide(decision(action, in: library, from: before.words(on: uid), to: after.words(on: uid)))
      ]
      let isNarrowing = before.isNarrowed(by: after)
      return answered + asked.map { .removePrompt($0.record.identifier) }
        + (isNarrowing ? [broker.narrowingMark()] : [])
    } completion: { [broker] error in
      if let error { return completion(.failure(error)) }
      broker.withdraw(asked)
      if library.owners != owners {
        broker.delegate?.promptsChanged(owners: owners.union(library.owners))
        broker.rulesChanged(in: library.record.name)
      }
      broker.receipt(for: ended, effect: effect) { completion(.success(($0, before: former))) }
    }
  }
}

extension AdminSession {
  /// The name under which an answer is recorded. Acceptance of one part counts before declining of
  /// another; withdrawal of an earlier answer is an undo.
  private static func action(from before: OfferAnswer, to after: OfferAnswer) -> String {
    func gains(_ part: KeyPath<OfferAnswer, Bool?>) -> Bool {
      after[keyPath: part] == true && before[keyPath: part] != true
    }
    func declines(_ part: KeyPath<OfferAnswer, Bool>) -> Bool { after[keyPath: part] && !before[keyPath: part] }
    if gains(\.programs) || gains(\.coOwnership) { return "accept" }
    return declines(\.declinesPrograms) || declines(\.declinesCoOwnership) ? "decline" : "undo"
  }

  /// Counts an acceptance against the hourly limit, so that a user's many answers cannot bury other
  /// decisions in the record.
  func noteAcceptance(in places: [LibraryState]) throws(BrokerError) {
    let (now, most) = (broker.environment.monotonic, BrokerLimits.acceptancesPerHour)
    guard places.allSatisfy({ $0.acceptances[uid, default: RecentCount()].allows(of: most, at: now) }) else {
      throw BrokerError(
        .refused, .acceptedTooOften,
        "You accepted offers of this library \(Amount.count(most, "time")) within an hour, which is the limit; try "
          + "again later. Declining is always possible.",
        ["limit": "\(most)"])
    }
    for place in places { place.acceptances[uid, default: RecentCount()].note(at: now) }
  }
}

extension Broker {
  /// Ends the access of apps to whose users the library is not offered any more.
  /// - Parameter before: the users to whom it was offered until now.
  func endUse(of library: LibraryState, offeredBefore before: Audience) -> (ended: [GrantKey], effect: NarrowingEffect)
  {
    func isTold(_ app: AppIdentifier) -> Bool { apps[app].map { library.isOffered(to: $0.record.uid) } ?? false }
    var ended: [GrantKey] = []
    var effect = NarrowingEffect()
    for grant in grants(in: library.record.name) where grant.record.status.grantsAccess && !isTold(grant.record.key.app)
    {
      guard let app = apps[grant.record.key.app], before.includes(app.record.uid) else { continue }
      effect = effect + editor.invalidate(grant)
      ended.append(grant.record.key)
    }
    return (ended, effect + endPicks { $0.library == library.record.name && !isTold($0.app) })
  }
}

extension LibraryRecord {
  /// A user's answers to an offer, for the record of decisions. Both parts are listed only where
  /// they differ.
  func words(on user: UInt32) -> String {
    let answer = answer(of: user)
    func words(_ isAccepted: Bool?, _ isDeclined: Bool) -> String {
      "\(isDeclined ? "declined by" : isAccepted == true ? "accepted by" : "offered to") user \(user)"
    }
    let programs = words(answer.programs, answer.declinesPrograms)
    let coOwnership = words(answer.coOwnership, answer.declinesCoOwnership)
    guard offeredTo.contains(user), coOwners.contains(user), programs != coOwnership else {
      return offeredTo.contains(user) ? programs : coOwnership
    }
    return "\(programs) for programs, \(coOwnership) as co-owner"
  }
}

extension BrokerError {
  static func unknownOffer() -> Self {
    .notFound("library", "No library of that name is offered to you; list the offers to see their names.")
  }
}
