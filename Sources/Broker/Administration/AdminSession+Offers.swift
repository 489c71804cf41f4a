import Limits

/// A library that somebody offers to the caller's programs, or of which the caller is to be a co-owner.
package struct Offer: Sendable, Equatable {
  package let library: LibraryName
  package let owner: UInt32
  /// What the caller said of it for their programs; nil: its owner does not offer it to them.
  package let programs: State?
  /// What the caller said of being a co-owner; nil: its owner did not name them one.
  package let coOwnership: State?

  package enum State: String, Sendable { case waiting, accepted, declined }

  /// Whether the caller said yes to all of it.
  package var isAccepted: Bool { isAll(.accepted) }
  /// Whether the caller said no to all of it.
  package var isDeclined: Bool { isAll(.declined) }

  private func isAll(_ state: State) -> Bool { [programs, coOwnership].allSatisfy { $0 == nil || $0 == state } }
}

/// What an answer to an offer did, and what had been said of it before.
package typealias AnsweredOffer = (receipt: Receipt, before: OfferAnswer)

/// Anybody may offer a library to anybody, and name anybody a co-owner. Whom it concerns says what becomes of it.
extension AdminSession {
  /// Libraries of others that are offered to the caller's programs, or of which the caller is to be
  /// a co-owner, declined ones too, by name.
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

  /// Accepts or declines what somebody offers, as far as the answer says, or declines all of it.
  /// Until it is accepted the caller's programs are taken there only where they name it, and the
  /// caller is no co-owner. A declined library no longer exists for the caller's programs, at once,
  /// also where it is offered again, what they ask there is asked no more, and the caller decides
  /// nothing in it; what was decided on the programs holds again when it is accepted. Nothing
  /// changes, and nothing is entered, where that was said already.
  ///
  /// The receipt is about the caller's apps. The decision is the caller's: its owner sees it and
  /// cannot undo it. Where the disk does not keep it everything is as it was. What was said of it
  /// before is answered too: said again, it takes this answer back.
  /// - Parameter owner: Whose library it is about; nil: whoever's has that name.
  /// - Throws (by `completion`): `notFound`, the same for a library that is not there, for another
  ///   owner's, for one that is offered to others, and where nothing of what is accepted is
  ///   offered; `refused` for the caller's own, to accept one of a user of whom the caller declines
  ///   all, and to accept more often than `BrokerLimits.acceptancesPerHour`; `failed`.
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
        .refused, .alreadyOwn, "The library is your own: your programs know of it for as long as it is there.")
    }
    guard !answer.accepts || library.record.offers(answer, to: uid) else { throw .unknownOffer() }
    guard !answer.accepts || !library.decliners.contains(uid) else {
      throw BrokerError(
        .refused, .userDeclined,
        "You decline whatever user \(library.record.owner) offers; accept that again first (library accept --from).",
        ["user": "\(library.record.owner)"])
    }
    let uid = uid
    let (before, owners, former) = (library.audience, library.owners, library.planned.answer(of: uid))
    var wanted = library.planned
    wanted.take(answer, of: uid)
    guard wanted != library.planned else { return completion(.success((Receipt(), before: former))) }
    // What only takes back is at once, however often.
    if wanted.isNarrowed(by: library.planned) { try noteAcceptance(in: [library]) }
    let setting = library.plan { $0.take(answer, of: uid) }
    let (ended, effect) = broker.endUse(of: library, offeredBefore: before)
    let asked = answer.declinesPrograms ? broker.questions(of: uid, in: [library]) : []
    // Else what the disk did not keep would be taken for said already when it is said again.
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
  /// What an answer is on record as: what it gives counts before what it declines, and what is only
  /// taken back is neither.
  private static func action(from before: OfferAnswer, to after: OfferAnswer) -> String {
    func gains(_ part: KeyPath<OfferAnswer, Bool?>) -> Bool {
      after[keyPath: part] == true && before[keyPath: part] != true
    }
    func declines(_ part: KeyPath<OfferAnswer, Bool>) -> Bool { after[keyPath: part] && !before[keyPath: part] }
    if gains(\.programs) || gains(\.coOwnership) { return "accept" }
    return declines(\.declinesPrograms) || declines(\.declinesCoOwnership) ? "decline" : "undo"
  }

  /// Notes that the caller says yes to what is offered of libraries, so that nobody's changes of
  /// mind bury what was decided there.
  func noteAcceptance(in places: [LibraryState]) throws(BrokerError) {
    let (now, most) = (broker.environment.monotonic, BrokerLimits.acceptancesPerHour)
    guard places.allSatisfy({ $0.acceptances[uid, default: RecentCount()].allows(of: most, at: now) }) else {
      throw BrokerError(
        .refused, .acceptedTooOften,
        "You can accept what is offered of one library \(most) times an hour at most; declining it is always possible.",
        ["limit": "\(most)"])
    }
    for place in places { place.acceptances[uid, default: RecentCount()].note(at: now) }
  }
}

extension Broker {
  /// Ends what apps use of a library that does not exist for their users any more.
  /// - Parameter before: whose programs knew of it until now.
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
  /// How a user stands to what the owner offers, for the record of decisions: to each part of it
  /// where that is not the same.
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
