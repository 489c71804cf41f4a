import Limits

/// A library that somebody offers to the caller's programs or invites the caller to co-own.
package struct Offer: Sendable, Equatable {
  package let library: LibraryName
  package let owner: UInt32
  /// The offers and invitations to the caller, and the caller's answers.
  package let answers: InvitationAnswers
}

/// The receipt of an answer to an offer, and the answer that it replaces.
package typealias AnsweredOffer = (receipt: Receipt, before: InvitationAnswers)

/// Offers and invitations to the caller. Any owner may offer a library to any user and invite any
/// user as co-owner. The invited user decides whether it takes effect.
package struct AdminOffers: AdminPart {
  let caller: AdminSession

  /// Offers and invitations to the caller, declined ones too, sorted by library name.
  package var list: [Offer] {
    broker.libraries.values.filter { $0.record.concerns(caller.uid) }.map { library in
      let answers = Invitation.Role.allCases.compactMap { role in
        library.answer(of: caller.uid, as: role).map { (role, $0) }
      }
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
  package func answer(
    _ name: LibraryName, _ answers: InvitationAnswers, of owner: UInt32? = nil,
    completion: @escaping Completion<AnsweredOffer>
  ) {
    inTurn(completion) { [self] completion throws(BrokerError) in try take(answers, to: name, of: owner, completion) }
  }

  private func take(
    _ answers: InvitationAnswers, to name: LibraryName, of owner: UInt32?,
    _ completion: @escaping Completion<AnsweredOffer>
  ) throws(BrokerError) {
    guard let library = broker.libraries[name],
      library.record.owner == caller.uid || library.record.concerns(caller.uid),
      owner == nil || library.record.owner == owner
    else { throw .unknownOffer() }
    guard library.record.owner != caller.uid else { throw .ownOffer() }
    let accepted = answers.filter { $0.value == .accepted }.keys
    let isAny = answers.values.contains(.declined) || accepted.contains { library.record[$0, caller.uid].isOpen }
    guard accepted.isEmpty || isAny else { throw .unknownOffer() }
    guard answers.values.allSatisfy({ $0 == .declined }) || !broker.declines(caller.uid, of: library.record.owner)
    else {
      throw .refused(
        .userDeclined,
        "You declined all offers of user \(library.record.owner); accept them again first (library accept --from "
          + "\(library.record.owner)).",
        ["user": "\(library.record.owner)"])
    }
    let former = library.configuration.planned.answers(of: caller.uid)
    var wanted = library.configuration.planned
    wanted.take(answers, of: caller.uid)
    guard wanted != library.configuration.planned else { return completion(.success((Receipt(), before: former))) }
    // Declining is immediate and unlimited; only acceptances count against the limit.
    if wanted.isNarrowed(by: library.configuration.planned) { try noteAcceptance(in: [library]) }
    // Restored on failure: otherwise the caller's retry would look like a repeated answer.
    caller.rights.keep({ $0.take(answers, of: caller.uid) }, in: library, staysNarrowed: false) {
      completion($0.map { ($0, before: former) })
    } decision: { [self] before, after in
      let action = Self.action(from: before.answers(of: caller.uid), to: after.answers(of: caller.uid))
      return (decision(action, in: library, from: before.words(on: caller.uid), to: after.words(on: caller.uid)), nil)
    }
  }

  /// The name under which an answer is recorded. Acceptance of one part counts before declining of
  /// another; withdrawal of an earlier answer is an undo.
  private static func action(from before: InvitationAnswers, to after: InvitationAnswers) -> String {
    let new = after.filter { before[$0.key] != $0.value }.values
    return new.contains(.accepted) ? "accept" : new.contains(.declined) ? "decline" : "undo"
  }

  /// Counts an acceptance against the hourly limit, so that a user's many answers cannot bury other
  /// decisions in the record.
  private func noteAcceptance(in places: [LibraryState]) throws(BrokerError) {
    let (now, most) = (broker.environment.monotonic, BrokerLimits.acceptancesPerHour)
    guard places.allSatisfy({ $0.acceptances[caller.uid, default: RecentCount()].allows(of: most, at: now) }) else {
      throw .refused(
        .acceptedTooOften,
        "You accepted offers of this library \(Amount.count(most, "time")) within an hour, which is the limit; try "
          + "again later. Declining is always possible.",
        ["limit": "\(most)"])
    }
    for place in places { place.acceptances[caller.uid, default: RecentCount()].note(at: now) }
  }

  /// Users of whom the caller declines all offers.
  package var declinedUsers: [UInt32] { broker.declines[caller.uid].sorted() }

  /// Declines all present and future offers of a user to the caller's programs, or accepts that
  /// user's offers again.
  ///
  /// While declined, the user's libraries do not exist for the caller's programs, pending prompts
  /// there are withdrawn, and the caller is co-owner of none. Decisions about the programs and the
  /// caller's answers to single libraries hold again afterwards. A repeated answer changes nothing
  /// and is not recorded.
  ///
  /// The receipt is about the caller's apps. A decision is recorded in each library that is
  /// offered, and the library's owner cannot undo it. If the store fails everything is restored.
  /// - Throws (by `completion`): `refused` for the caller's own user, for more declined users than
  ///   `BrokerLimits.declinedUsers`, and for acceptances of one library beyond
  ///   `BrokerLimits.acceptancesPerHour`; `failed`.
  package func answerAll(from owner: UInt32, accepts: Bool, completion: @escaping Completion<Receipt>) {
    guard owner != caller.uid else { return completion(.failure(.ownOffer())) }
    inTurn(completion) { [self] completion throws(BrokerError) in try decline(owner, isDeclining: !accepts, completion)
    }
  }

  /// Runs one user's answers to offers one after the other, so that each is stored or restored as a
  /// whole.
  private func inTurn<Answered>(
    _ completion: @escaping Completion<Answered>,
    _ begin: @escaping (@escaping Completion<Answered>) throws(BrokerError) -> Void
  ) {
    guard broker.declines.turns.count(waitingOf: caller.uid) < BrokerLimits.declinedUsers else {
      return completion(
        .failure(.refused(.answersWait, "Too many of your answers wait to be saved; try again in a moment.")))
    }
    broker.declines.turns.take(
      FairQueue.Turn(user: caller.uid) { done in
        do throws(BrokerError) {
          try begin { result in
            completion(result)
            done()
          }
        } catch {
          completion(.failure(error))
          done()
        }
      })
  }

  private func decline(
    _ owner: UInt32, isDeclining: Bool, _ completion: @escaping Completion<Receipt>
  ) throws(BrokerError) {
    let before = broker.declines[caller.uid]
    guard before.contains(owner) != isDeclining else { return completion(.success(Receipt())) }
    guard !isDeclining || before.count < BrokerLimits.declinedUsers else {
      throw .refused(
        .declinesTooMany,
        "You can decline all offers of at most \(BrokerLimits.declinedUsers) users; accept those of one of them again "
          + "first.",
        ["limit": "\(BrokerLimits.declinedUsers)"])
    }
    let after = isDeclining ? before.union([owner]) : before.subtracting([owner])
    let places = broker.libraries.values.filter { $0.record.owner == owner && $0.record.concerns(caller.uid) }
      .sorted { $0.record.name < $1.record.name }
    let concerned = places.filter { $0.record.answers(of: caller.uid).values.contains { $0 != .declined } }
    if !isDeclining { try noteAcceptance(in: concerned) }
    var changes = [Declines.setting(after, of: caller.uid)]
    for place in concerned {
      let (declined, open) = ("declined by user \(caller.uid)", place.record.words(on: caller.uid))
      changes.append(
        .decide(
          isDeclining
            ? decision("decline", in: place, from: open, to: declined)
            : decision("accept", in: place, from: declined, to: open)))
    }
    let audiences = places.map(\.audience)
    if isDeclining {
      broker.declines[caller.uid] = after
      changes.append(broker.narrowingMark())
    }
    var (ended, effect): ([GrantKey], NarrowingEffect) = ([], NarrowingEffect())
    for (library, audience) in zip(places, audiences) {
      let (keys, more) = caller.rights.endUse(of: library, offeredBefore: audience)
      ended += keys
      effect = effect + more
    }
    let asked = places.flatMap(broker.promptService.questionsOfStrangers)
    changes += asked.map { .removePrompt($0.record.identifier) }
    broker.store.commit(changes) { [broker, ended, effect] failure in
      broker.declines[caller.uid] = failure == nil ? after : before
      if let failure { return completion(.failure(.notKept(failure, narrowed: false))) }
      broker.promptService.withdraw(asked)
      broker.delegate?.promptsChanged(owners: [caller.uid])
      for place in places { broker.ruleEngine.rulesChanged(in: place.record.name) }
      broker.receipt(for: ended, effect: effect) { completion(.success($0)) }
    }
  }

  private func decision(_ action: String, in library: LibraryState, from before: String, to after: String)
    -> DecisionRecord
  {
    DecisionRecord(
      time: broker.environment.now, by: Decider(uid: caller.uid, role: .user, origin: caller.origin), action: action,
      library: library.record.name, before: before, after: after)
  }
}

extension LibraryRecord {
  /// A user's answers to an offer, for the record of decisions: one answer, or both if those for
  /// programs and for co-ownership differ.
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
    .refused(
      .alreadyOwn, "The library is your own, so your programs can always ask for it. Remove the library to end that.")
  }

  static func unknownOffer() -> Self {
    .notFound("library", "No library of that name is offered to you; list the offers to see their names.")
  }
}
