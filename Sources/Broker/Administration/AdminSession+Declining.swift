import Limits

extension AdminSession {
  /// Users of whom the caller declines whatever they offer.
  package var declinedUsers: [UInt32] { broker.declines[uid, default: []].sorted() }

  /// Declines whatever a user offers to the caller's programs, now and later, or lets that user
  /// offer again. No library of theirs exists for the caller's programs then, at once, what these
  /// ask there is asked no more, and the caller is co-owner of none; what was decided on them, and
  /// which single libraries the caller accepted and declined, holds again afterwards. Nothing
  /// changes, and nothing is entered, where that was said already.
  ///
  /// The receipt is about the caller's apps. The decision is entered in each library that is
  /// offered, and is not its owner's to undo. Where the disk does not keep it everything is as it
  /// was.
  /// - Throws (by `completion`): `refused` for the caller, for more users than one may decline, and
  ///   to accept what is offered of a library more often than `BrokerLimits.acceptancesPerHour`;
  ///   `failed`.
  package func answerOffers(
    from owner: UInt32, accepts: Bool, completion: @escaping (Result<Receipt, BrokerError>) -> Void
  ) {
    guard owner != uid else {
      return completion(
        .failure(
          BrokerError(.refused, .alreadyOwn, "What is your own your programs know of for as long as it is there.")))
    }
    inTurn(completion) { [self] completion throws(BrokerError) in try decline(owner, isDeclining: !accepts, completion)
    }
  }

  /// Answers of one user to offers, one after the other: each is kept whole, or put back whole.
  func inTurn<Answered>(
    _ completion: @escaping (Result<Answered, BrokerError>) -> Void,
    _ begin: @escaping (@escaping (Result<Answered, BrokerError>) -> Void) throws(BrokerError) -> Void
  ) {
    guard broker.declining.count(waitingOf: uid) < BrokerLimits.declinedUsers else {
      return completion(
        .failure(
          BrokerError(
            .refused, .answersWait, "Too many answers of yours wait for the disk; say this again in a moment.")))
    }
    broker.declining.take(uid, for: self) { done in
      do throws(BrokerError) {
        try begin { result in
          completion(result)
          done()
        }
      } catch {
        completion(.failure(error))
        done()
      }
    }
  }

  private func decline(
    _ owner: UInt32, isDeclining: Bool, _ completion: @escaping (Result<Receipt, BrokerError>) -> Void
  ) throws(BrokerError) {
    let (uid, before) = (uid, broker.declines[uid, default: []])
    guard before.contains(owner) != isDeclining else { return completion(.success(Receipt())) }
    guard !isDeclining || before.count < BrokerLimits.declinedUsers else {
      throw BrokerError(
        .refused, .declinesTooMany,
        "A user declines the offers of at most \(BrokerLimits.declinedUsers) others; accept those of one again.",
        ["limit": "\(BrokerLimits.declinedUsers)"])
    }
    let after = isDeclining ? before.union([owner]) : before.subtracting([owner])
    let places = broker.libraries.values.filter { $0.record.owner == owner && $0.record.concerns(uid) }
      .sorted { $0.record.name < $1.record.name }
    let concerned = places.filter { $0.record.answer(of: uid).accepts }
    if !isDeclining { try noteAcceptance(in: concerned) }
    let asked = isDeclining ? broker.questions(of: uid, in: places) : []
    var changes = [broker.declinesSetting(after, of: uid)]
    for place in concerned {
      let (declined, open) = ("declined by user \(uid)", place.record.words(on: uid))
      changes.append(
        .decide(
          isDeclining
            ? decision("decline", in: place, from: open, to: declined)
            : decision("accept", in: place, from: declined, to: open)))
    }
    changes += asked.map { .removePrompt($0.record.identifier) }
    var (ended, effect): ([GrantKey], NarrowingEffect) = ([], NarrowingEffect())
    if isDeclining {
      let audiences = places.map { ($0, $0.audience) }
      broker.setDeclines(after, of: uid)
      for (library, audience) in audiences {
        let (keys, more) = broker.endUse(of: library, offeredBefore: audience)
        ended += keys
        effect = effect + more
      }
      changes.append(broker.narrowingMark())
    }
    broker.store.keep(changes) { [broker, ended, effect] failure in
      if let failure {
        broker.setDeclines(before, of: uid)
        return completion(.failure(.notKept(failure, narrowed: false)))
      }
      broker.setDeclines(after, of: uid)
      broker.withdraw(asked)
      broker.delegate?.promptsChanged(owners: [uid])
      for place in places { broker.rulesChanged(in: place.record.name) }
      broker.receipt(for: ended, effect: effect) { completion(.success($0)) }
    }
  }

  /// What goes on record of an answer to an offer.
  func decision(_ action: String, in library: LibraryState, from before: String, to after: String) -> DecisionRecord {
    DecisionRecord(
      time: broker.environment.now, by: Decider(uid: uid, role: .user, origin: origin), action: action,
      library: library.record.name, before: before, after: after)
  }
}

extension Broker {
  /// What a user's apps ask the owners of these libraries, but for what is being answered.
  func questions(of user: UInt32, in places: [LibraryState]) -> [Prompt] {
    prompts.all.filter { prompt in
      prompt.user == user && !prompt.isBeingAnswered && places.contains { $0 === prompt.library }
    }
  }

  /// What apps ask the owners of a library that does not exist for their users any more, but for
  /// what is being answered.
  func questionsOfStrangers(in library: LibraryState) -> [Prompt] {
    prompts.all.filter { $0.library === library && !$0.isBeingAnswered && !library.isOffered(to: $0.user) }
  }

  /// Closes questions that have no point any longer, and which nobody has answered meanwhile.
  func withdraw(_ asked: [Prompt]) {
    for prompt in asked where prompts[prompt.record.identifier] === prompt && !prompt.isBeingAnswered { close(prompt) }
  }

  /// Takes up which users decline whatever others offer.
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

  func setDeclines(_ owners: Set<UInt32>, of user: UInt32) {
    declines[user] = owners.isEmpty ? nil : owners
    for library in libraries.values {
      if owners.contains(library.record.owner) {
        library.decliners.insert(user)
      } else {
        library.decliners.remove(user)
      }
    }
  }

  func decliners(of owner: UInt32) -> Set<UInt32> { Set(declines.lazy.filter { $0.value.contains(owner) }.map(\.key)) }
}
