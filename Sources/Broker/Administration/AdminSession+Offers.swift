/// A library that somebody offers to the caller's programs.
package struct Offer: Sendable, Equatable {
  package let library: LibraryName
  package let owner: UInt32
  package let isDeclined: Bool
}

/// Anybody may offer a library to anybody. Whom it is offered to says whether their programs hear of it.
extension AdminSession {
  /// Libraries of others that are offered to the caller's programs, declined ones too, by name.
  package var offers: [Offer] {
    broker.libraries.values.filter { $0.record.owner != uid && $0.record.offeredTo.contains(uid) }.map {
      Offer(library: $0.record.name, owner: $0.record.owner, isDeclined: !$0.isOffered(to: uid))
    }.sorted { $0.library < $1.library }
  }

  /// Declines an offer, or accepts one that was declined. A declined library no longer exists for the caller's programs, at once,
  /// also where it is offered again, and what they ask there is asked no more; what was decided on them holds again when it is
  /// accepted. Nothing changes, and nothing is entered, where that was said already.
  ///
  /// The receipt is about the caller's apps. The decision is the caller's: its owner sees it and cannot undo it. Where the disk does not
  /// keep it everything is as it was.
  /// - Throws (by `completion`): `notFound`, the same for a library that is not there and for one that is offered to others;
  ///   `refused` for the caller's own, and to accept one of a user of whom the caller declines all; `failed`.
  package func answerOffer(_ name: LibraryName, accepts: Bool, completion: @escaping (Result<Receipt, BrokerError>) -> Void) {
    inTurn(completion) { [self] completion throws(BrokerError) in try answer(name, accepts: accepts, completion) }
  }

  private func answer(
    _ name: LibraryName, accepts: Bool, _ completion: @escaping (Result<Receipt, BrokerError>) -> Void
  ) throws(BrokerError) {
    guard let library = broker.libraries[name], library.record.offeredTo.contains(uid) else { throw .unknownOffer() }
    guard library.record.owner != uid else {
      throw BrokerError(.refused, .alreadyOwn, "The library is your own: your programs know of it for as long as it is there.")
    }
    guard !accepts || !library.decliners.contains(uid) else {
      throw BrokerError(
        .refused, .userDeclined,
        "You decline whatever user \(library.record.owner) offers; accept that again first (library accept --from).",
        ["user": "\(library.record.owner)"])
    }
    let uid = uid
    let before = library.audience
    guard library.planned.declinedBy.contains(uid) == accepts else { return completion(.success(Receipt())) }
    let setting = library.plan { if accepts { $0.declinedBy.remove(uid) } else { $0.declinedBy.insert(uid) } }
    let (ended, effect) = broker.endUse(of: library, offeredBefore: before)
    let asked = accepts ? [] : broker.questions(of: uid, in: [library])
    // Else what the disk did not keep would be taken for said already when it is said again.
    library.keep(setting, staysNarrowed: false) { [self] _, _ in
      let answered: [StoreChange] = [.decide(answer(in: library, accepts: accepts))]
      return answered + asked.map { .removePrompt($0.record.identifier) } + (accepts ? [] : [broker.narrowingMark()])
    } completion: { [broker] error in
      if let error { return completion(.failure(error)) }
      broker.withdraw(asked)
      broker.receipt(for: ended, effect: effect) { completion(.success($0)) }
    }
  }
}

extension Broker {
  /// Ends what apps use of a library that does not exist for their users any more.
  /// - Parameter before: whose programs knew of it until now.
  func endUse(of library: LibraryState, offeredBefore before: Audience) -> (ended: [GrantKey], effect: NarrowingEffect) {
    func isTold(_ app: AppIdentifier) -> Bool { apps[app].map { library.isOffered(to: $0.record.uid) } ?? false }
    var ended: [GrantKey] = []
    var effect = NarrowingEffect()
    for grant in grants(in: library.record.name) where grant.record.status.grantsAccess && !isTold(grant.record.key.app) {
      guard let app = apps[grant.record.key.app], before.includes(app.record.uid) else { continue }
      effect = effect + editor.invalidate(grant)
      ended.append(grant.record.key)
    }
    return (ended, effect + endPicks { $0.library == library.record.name && !isTold($0.app) })
  }
}

extension BrokerError {
  static func unknownOffer() -> Self {
    .notFound("library", "No library of that name is offered to you; list the offers to see their names.")
  }
}
