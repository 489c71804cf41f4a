import Limits

/// A library that somebody offers to the caller's programs or invites the caller to co-own.
package struct Offer: Sendable, Equatable {
  package let library: LibraryName
  package let owner: UInt32
  /// The caller's answers to what is offered.
  package let answers: InvitationAnswers
}

/// The receipt of an answer to an offer, and the answer that it replaces.
package typealias AnsweredOffer = (receipt: Receipt, before: InvitationAnswers)

/// Any owner may offer a library to any user and invite any user as co-owner. The invited user
/// decides whether it takes effect.
extension AdminSession {
  /// Offers and invitations to the caller, declined ones too, sorted by library name.
  package var offers: [Offer] {
    broker.libraries.values.filter { $0.record.concerns(uid) }.map { library in
      let answers = Invitation.Role.allCases.compactMap { role in library.answer(of: uid, as: role).map { (role, $0) } }
      return Offer(
        library: library.record.name, owner: library.record.owner,
        answers: InvitationAnswers(uniqueKeysWithValues: answers))
    }.sorted { $0.library < $1.library }
  }

  /// Accepts or declines an offer, in one role or in both.
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
    _ name: LibraryName, _ answers: InvitationAnswers, of owner: UInt32? = nil,
    completion: @escaping (Result<AnsweredOffer, BrokerError>) -> Void
  ) {
    inTurn(completion) { [self] completion throws(BrokerError) in try take(answers, to: name, of: owner, completion) }
  }

  private func take(
    _ answers: InvitationAnswers, to name: LibraryName, of owner: UInt32?,
    _ completion: @escaping (Result<AnsweredOffer, BrokerError>) -> Void
  ) throws(BrokerError) {
    guard let library = broker.libraries[name], library.record.owner == uid || library.record.concerns(uid),
      owner == nil || library.record.owner == owner
    else { throw .unknownOffer() }
    guard library.record.owner != uid else { throw .ownOffer() }
    let (uid, accepted) = (uid, answers.filter { $0.value == .accepted }.keys)
    let isAny = answers.values.contains(.declined) || accepted.contains { library.record[$0, uid].isOpen }
    guard accepted.isEmpty || isAny else { throw .unknownOffer() }
    guard answers.values.allSatisfy({ $0 == .declined }) || !broker.declines(uid, of: library.record.owner) else {
      throw BrokerError(
        .refused, .userDeclined,
        "You declined all offers of user \(library.record.owner); accept them again first (library accept --from "
          + "\(library.record.owner)).",
        ["user": "\(library.record.owner)"])
    }
    let former = library.planned.answers(of: uid)
    var wanted = library.planned
    wanted.take(answers, of: uid)
    guard wanted != library.planned else { return completion(.success((Receipt(), before: former))) }
    // Declining is immediate and unlimited; only acceptances count against the limit.
    if wanted.isNarrowed(by: library.planned) { try noteAcceptance(in: [library]) }
    // Restored on failure: otherwise the caller's retry would look like a repeated answer.
    rights.keep({ $0.take(answers, of: uid) }, in: library, staysNarrowed: false) {
      completion($0.map { ($0, before: former) })
    } decision: { [self] before, after in
      let action = Self.action(from: before.answers(of: uid), to: after.answers(of: uid))
      return (decision(action, in: library, from: before.words(on: uid), to: after.words(on: uid)), nil)
    }
  }
}

extension AdminSession {
  /// The name under which an answer is recorded. Acceptance of one part counts before declining of
  /// another; withdrawal of an earlier answer is an undo.
  private static func action(from before: InvitationAnswers, to after: InvitationAnswers) -> String {
    let new = after.filter { before[$0.key] != $0.value }.values
    return new.contains(.accepted) ? "accept" : new.contains(.declined) ? "decline" : "undo"
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
  func endUse(of library: LibraryState, offeredBefore before: Set<UInt32>) -> (
    ended: [GrantKey], effect: NarrowingEffect
  ) {
    func isTold(_ app: AppIdentifier) -> Bool { apps[app].map { library.isOffered(to: $0.record.uid) } ?? false }
    var ended: [GrantKey] = []
    var effect = NarrowingEffect()
    for grant in grants(in: library.record.name) where grant.record.status.grantsAccess && !isTold(grant.record.key.app)
    {
      guard let app = apps[grant.record.key.app], before.contains(app.record.uid) else { continue }
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
    func words(_ role: Invitation.Role) -> String {
      let state = self[role, user].answer
      return "\(state.rawValue) \(state == .offered ? "to" : "by") user \(user)"
    }
    let (programs, coOwnership) = (words(.user), words(.coOwner))
    guard self[.user, user].isOpen, self[.coOwner, user].isOpen, programs != coOwnership else {
      return self[.user, user].isOpen ? programs : coOwnership
    }
    return "\(programs) for programs, \(coOwnership) as co-owner"
  }
}

extension BrokerError {
  static func ownOffer() -> Self {
    BrokerError(
      .refused, .alreadyOwn,
      "The library is your own, so your programs can always ask for it. Remove the library to end that.")
  }

  static func unknownOffer() -> Self {
    .notFound("library", "No library of that name is offered to you; list the offers to see their names.")
  }
}
