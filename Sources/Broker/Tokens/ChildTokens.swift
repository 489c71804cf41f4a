import Limits
import Macaroons
import PhotoModel

/// Makes and ends child tokens. A child is told apart in lists and in the ledger, is revoked alone,
/// and ends with the token of its grant (R155).
struct ChildTokens {
  let broker: Broker

  /// Makes a child of a grant's token. It is recorded before it is returned.
  /// - Parameters:
  ///   - restrictions: those of the token from which it is made.
  ///   - decider: the owner, or the app.
  /// - Throws: `refused` for an end in the past; `limitExceeded` for too many children.
  func mint(
    _ request: ChildTokenRequest, of grant: GrantState, _ app: App, _ library: LibraryState,
    _ restrictions: TokenRestrictions = TokenRestrictions(), by decider: Decider,
    completion: @escaping Completion<AdminTokens.MintedToken>
  ) throws(BrokerError) {
    let now = broker.clock.read()
    if let end = request.end, end <= now { throw .childEndsInPast() }
    let key = grant.record.key
    let child = ChildToken(
      parent: grant.record.accessor, name: request.name, uid: request.uid ?? app.record.uid, end: request.end)
    let record = TokenRecord(
      accessor: broker.newAccessor(), app: key.app, grant: key, minted: broker.environment.now, isRevoked: false,
      child: child)
    let text = try broker.tokens.childToken(record, child, of: grant.record, restrictions, library: library.record)
    let siblings = broker.tokens[child.parent].map(broker.tokens.children) ?? []
    let anHourAgo = now.advanced(by: .seconds(-3_600))
    let ended = siblings.filter { $0.child?.end.map { $0 <= now } ?? false && $0.minted <= anHourAgo }
    guard siblings.count - ended.count < BrokerLimits.childTokens else { throw .tooManyChildren() }
    let decision = DecisionRecord(
      time: broker.environment.now, by: decider, action: "mint", library: key.library, app: key.app, level: key.level,
      before: "", after: "child token \(record.accessor) of user \(child.uid) given out")
    // Children that ended are not counted an hour after their issue, and are listed like revoked ones.
    var changes = ended.map { StoreChange.revokeToken($0.accessor) } + [.putToken(record)]
    changes += broker.tokens.note(changes) + [.decide(decision, change: DecisionChange(.token(record.accessor)))]
    broker.store.commit(changes) { [broker] failure in
      if let failure {
        _ = broker.tokens.note([.revokeToken(record.accessor)])
        return completion(.failure(.notKept(failure, narrowed: false)))
      }
      // It or its parent may have been revoked during the commit.
      guard broker.tokens[record.accessor]?.isRevoked == false else { return completion(.failure(.accessEnded)) }
      completion(.success(AdminTokens.MintedToken(text: text, accessor: record.accessor)))
    }
  }

  /// Ends a child at once, and closes its connections.
  /// - Parameter number: the issue that this undoes; nil: it is a revocation.
  func revoke(
    _ record: TokenRecord, by decider: Decider, undoing number: UInt64? = nil, completion: @escaping Completion<Receipt>
  ) {
    let decision = DecisionRecord(
      time: broker.environment.now, by: decider, action: number == nil ? "revokeToken" : "undo",
      library: record.grant?.library, app: record.app, level: record.grant?.level,
      before: "child token \(record.accessor)", after: "revoked", undoes: number)
    var changes = [StoreChange.revokeToken(record.accessor)]
    changes += broker.tokens.note(changes)
    let closed = closeSessions(of: record.app, whichHad: record.accessor) { $1.accessor == record.accessor }
    if let prompt = record.grant.flatMap({ broker.prompts[$0] }), prompt.token?.child == record.accessor {
      changes.append(.removePrompt(prompt.record.identifier))
      broker.promptService.giveBackQuestion(prompt)
      broker.promptService.withdraw([prompt])
    }
    let entered = DecisionNumber()
    broker.store.commit(changes + [.decide(decision, number: entered), broker.narrowingMark()]) { failure in
      if let failure { return completion(.failure(.notKept(failure, narrowed: true))) }
      completion(
        .success(
          Receipt(effect: NarrowingEffect(connections: closed), decisions: [entered.value].compactMap { $0 })))
    }
  }

  /// Ends the use of children whose user, or whose app's user, is not offered the library any more.
  /// - Returns: the number of closed connections.
  func endUse(of library: LibraryState) -> Int {
    broker.grants(in: library.record.name).compactMap { broker.apps[$0.record.key.app] }.reduce(0) { count, app in
      count
        + closeSessions(of: app.identifier) { session, attachment in
          attachment.isChild && attachment.library === library && !session.isOffered(library, app)
        }
    }
  }

  private func closeSessions(
    of app: AppIdentifier, whichHad child: Accessor? = nil, restingOn isMeant: (Session, Attachment) -> Bool
  ) -> Int {
    var closed = 0
    for session in broker.sessions.sessions(of: app) {
      let resting = session.attachments.filter { isMeant(session, $0) }
      guard !resting.isEmpty || child.map(session.childAccessors.contains) ?? false else { continue }
      for attachment in resting { attachment.revoke() }
      broker.delegate?.closeSession(session)
      closed += 1
    }
    return closed
  }
}

extension Session {
  /// Makes a child of an attached token, for a helper program. It allows no more than that token.
  /// - Throws (by `completion`): `tokenRefused` for a token that is a child itself, or that counts
  ///   uses or bytes; `refused` for an end in the past; `limitExceeded`.
  package func mintChildToken(
    _ request: ChildTokenRequest, under permit: Permit, completion: @escaping Completion<AdminTokens.MintedToken>
  ) {
    attempt(completion) { () throws(BrokerError) in
      let attachment = permit.attachment
      // A child with counts of its own would renew those of its parent.
      guard !attachment.isChild, attachment.budgets.isEmpty else { throw .makesNoChild() }
      let app = try requireApp()
      var request = request
      if let seconds = attachment.restrictions.before,
        case (let time, false) = seconds.multipliedReportingOverflow(by: 1_000_000)
      {
        request.end = min(request.end ?? Timestamp(microseconds: time), Timestamp(microseconds: time))
      }
      try broker.childTokens.mint(
        request, of: attachment.grant, app, attachment.library, attachment.restrictions, by: app.decider,
        completion: completion)
    }
  }
}

extension BrokerError {
  fileprivate static func childEndsInPast() -> Self {
    .refused(.endsInPast, "The end lies in the past; choose a later one.")
  }

  fileprivate static func tooManyChildren() -> Self {
    photos(
      .limitExceeded,
      "This access has \(BrokerLimits.childTokens) child tokens that have not ended or were made in the last "
        + "hour; revoke one, or wait.")
  }

  fileprivate static func makesNoChild() -> Self {
    Self(
      .tokenRefused,
      "A child token, and one that counts uses or bytes, makes no child token; attenuate it for the helper instead.")
  }
}
