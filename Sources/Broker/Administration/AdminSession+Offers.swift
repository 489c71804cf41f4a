/// A library that somebody offers to the caller's programs, or of which the caller is to be a co-owner.
package struct Offer: Sendable, Equatable {
  package let library: LibraryName
  package let owner: UInt32
  /// Whether its owner offers it to the caller's programs.
  package let isForPrograms: Bool
  /// Whether its owner named the caller a co-owner.
  package let isCoOwnership: Bool
  /// Whether the caller said yes to all of it.
  package let isAccepted: Bool
  package let isDeclined: Bool
}

/// Anybody may offer a library to anybody, and name anybody a co-owner. Whom it concerns says what becomes of it.
extension AdminSession {
  /// Libraries of others that are offered to the caller's programs, or of which the caller is to be a co-owner, declined ones too, by
  /// name.
  package var offers: [Offer] {
    broker.libraries.values.filter { $0.record.concerns(uid) }.map { library in
      let (isForPrograms, isCoOwnership) = (library.record.offeredTo.contains(uid), library.record.coOwners.contains(uid))
      return Offer(
        library: library.record.name, owner: library.record.owner, isForPrograms: isForPrograms, isCoOwnership: isCoOwnership,
        isAccepted: (!isForPrograms || library.isTaken(by: uid)) && (!isCoOwnership || library.isOwner(uid)),
        isDeclined: library.record.declinedBy.contains(uid) || library.decliners.contains(uid))
    }.sorted { $0.library < $1.library }
  }

  /// Accepts what somebody offers, being a co-owner included, or declines it. Until it is accepted the caller's programs are taken there
  /// only where they name it, and the caller is no co-owner. A declined library no longer exists for the caller's programs, at once, also
  /// where it is offered again, what they ask there is asked no more, and the caller decides nothing in it; what was decided on the
  /// programs holds again when it is accepted. Nothing changes, and nothing is entered, where that was said already.
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
    guard let library = broker.libraries[name], library.record.owner == uid || library.record.concerns(uid) else { throw .unknownOffer() }
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
    let (before, owners) = (library.audience, library.owners)
    func apply(to record: inout LibraryRecord) { accepts ? record.accept(uid) : record.decline(uid) }
    var wanted = library.planned
    apply(to: &wanted)
    guard wanted != library.planned else { return completion(.success(Receipt())) }
    let setting = library.plan(apply)
    let (ended, effect) = broker.endUse(of: library, offeredBefore: before)
    let asked = accepts ? [] : broker.questions(of: uid, in: [library])
    // Else what the disk did not keep would be taken for said already when it is said again.
    library.keep(setting, staysNarrowed: false) { [self] before, after in
      let answered: [StoreChange] = [.decide(answer(in: library, from: before.words(on: uid), to: after.words(on: uid), accepts: accepts))]
      return answered + asked.map { .removePrompt($0.record.identifier) } + (accepts ? [] : [broker.narrowingMark()])
    } completion: { [broker] error in
      if let error { return completion(.failure(error)) }
      broker.withdraw(asked)
      if library.owners != owners {
        broker.delegate?.promptsChanged(owners: owners.union(library.owners))
        broker.rulesChanged(in: library.record.name)
      }
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

extension LibraryRecord {
  /// How a user stands to what the owner offers, for the record of decisions.
  func words(on user: UInt32) -> String {
    let isAccepted = acceptedBy.contains(user) || joinedBy.contains(user)
    return "\(declinedBy.contains(user) ? "declined by" : isAccepted ? "accepted by" : "offered to") user \(user)"
  }
}

extension BrokerError {
  static func unknownOffer() -> Self {
    .notFound("library", "No library of that name is offered to you; list the offers to see their names.")
  }
}
