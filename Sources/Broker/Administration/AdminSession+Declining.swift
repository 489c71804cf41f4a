import Limits

extension AdminSession {
  /// Users of whom the caller declines all offers.
  package var declinedUsers: [UInt32] { broker.declines[uid, default: []].sorted() }

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
  package func answerOffers(
    from owner: UInt32, accepts: Bool, completion: @escaping (Result<Receipt, BrokerError>) -> Void
  ) {
    guard owner != uid else { return completion(.failure(.ownOffer())) }
    inTurn(completion) { [self] completion throws(BrokerError) in try decline(owner, isDeclining: !accepts, completion)
    }
  }

  /// Runs one user's answers to offers one after the other, so that each is stored or restored as a
  /// whole.
  func inTurn<Answered>(
    _ completion: @escaping (Result<Answered, BrokerError>) -> Void,
    _ begin: @escaping (@escaping (Result<Answered, BrokerError>) -> Void) throws(BrokerError) -> Void
  ) {
    guard broker.declining.count(waitingOf: uid) < BrokerLimits.declinedUsers else {
      return completion(
        .failure(
          BrokerError(
            .refused, .answersWait, "Too many of your answers wait to be saved; try again in a moment.")))
    }
    broker.declining.take(
      FairQueue.Turn(user: uid) { done in
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
    _ owner: UInt32, isDeclining: Bool, _ completion: @escaping (Result<Receipt, BrokerError>) -> Void
  ) throws(BrokerError) {
    let (uid, before) = (uid, broker.declines[uid, default: []])
    guard before.contains(owner) != isDeclining else { return completion(.success(Receipt())) }
    guard !isDeclining || before.count < BrokerLimits.declinedUsers else {
      throw BrokerError(
        .refused, .declinesTooMany,
        "You can decline all offers of at most \(BrokerLimits.declinedUsers) users; accept those of one of them again "
          + "first.",
        ["limit": "\(BrokerLimits.declinedUsers)"])
    }
    let after = isDeclining ? before.union([owner]) : before.subtracting([owner])
    let places = broker.libraries.values.filter { $0.record.owner == owner && $0.record.concerns(uid) }
      .sorted { $0.record.name < $1.record.name }
    let concerned = places.filter { $0.record.answers(of: uid).values.contains { $0 != .declined } }
    if !isDeclining { try noteAcceptance(in: concerned) }
    var changes = [broker.declinesSetting(after, of: uid)]
    for place in concerned {
      let (declined, open) = ("declined by user \(uid)", place.record.words(on: uid))
      changes.append(
        .decide(
          isDeclining
            ? decision("decline", in: place, from: open, to: declined)
            : decision("accept", in: place, from: declined, to: open)))
    }
    let audiences = places.map(\.audience)
    if isDeclining {
      broker.declines[uid] = after
      changes.append(broker.narrowingMark())
    }
    var (ended, effect): ([GrantKey], NarrowingEffect) = ([], NarrowingEffect())
    for (library, audience) in zip(places, audiences) {
      let (keys, more) = broker.endUse(of: library, offeredBefore: audience)
      ended += keys
      effect = effect + more
    }
    let asked = places.flatMap(broker.questionsOfStrangers)
    changes += asked.map { .removePrompt($0.record.identifier) }
    broker.store.keep(changes) { [broker, ended, effect] failure in
      broker.declines[uid] = failure == nil ? after : before
      if let failure { return completion(.failure(.notKept(failure, narrowed: false))) }
      broker.withdraw(asked)
      broker.delegate?.promptsChanged(owners: [uid])
      for place in places { broker.rulesChanged(in: place.record.name) }
      broker.receipt(for: ended, effect: effect) { completion(.success($0)) }
    }
  }

  func decision(_ action: String, in library: LibraryState, from before: String, to after: String) -> DecisionRecord {
    DecisionRecord(
      time: broker.environment.now, by: Decider(uid: uid, role: .user, origin: origin), action: action,
      library: library.record.name, before: before, after: after)
  }
}

extension Broker {
  /// Pending prompts of apps to whose users the library is not offered any more, except those being
  /// answered.
  func questionsOfStrangers(in library: LibraryState) -> [Prompt] {
    prompts.all.filter { $0.library === library && !$0.isBeingAnswered && !library.isOffered(to: $0.user) }
  }

  func withdraw(_ asked: [Prompt]) {
    for prompt in asked where prompts[prompt.record.identifier] === prompt && !prompt.isBeingAnswered { close(prompt) }
  }

  func readDeclines(_ settings: [String: String]) {
    for (name, value) in settings where name.hasPrefix(SettingName.declines) {
      guard let user = UInt32(name.dropFirst(SettingName.declines.count)) else { continue }
      let owners = Set(value.split(separator: ",").compactMap { UInt32($0) })
      if !owners.isEmpty { declines[user] = owners }
    }
  }

  func declinesSetting(_ owners: Set<UInt32>, of user: UInt32) -> StoreChange {
    .putSetting(
      name: SettingName.declines + String(user), value: owners.sorted().map(String.init).joined(separator: ","))
  }

  func declines(_ user: UInt32, of owner: UInt32) -> Bool { declines[user]?.contains(owner) ?? false }
}
