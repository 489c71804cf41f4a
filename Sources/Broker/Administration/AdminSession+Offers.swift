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
    broker.libraries.values.map(\.record).filter { $0.owner != uid && $0.offeredTo.contains(uid) }.sorted { $0.name < $1.name }
      .map { Offer(library: $0.name, owner: $0.owner, isDeclined: $0.declinedBy.contains(uid)) }
  }

  /// Declines an offer, or accepts one that was declined. A declined library no longer exists for the caller's programs, at once,
  /// also where it is offered again; what was decided on them holds again when it is accepted. Nothing changes, and nothing is
  /// entered, where that was said already.
  ///
  /// The receipt is about the caller's apps. The decision is the caller's: its owner sees it and cannot undo it.
  /// - Throws (by `completion`): `notFound`, the same for a library that is not there and for one that is offered to others;
  ///   `refused` for the caller's own; `failed`.
  package func answerOffer(_ name: LibraryName, accepts: Bool, completion: @escaping (Result<Receipt, BrokerError>) -> Void) {
    do throws(BrokerError) {
      guard let library = broker.libraries[name], library.record.offeredTo.contains(uid) else { throw .unknownOffer() }
      guard library.record.owner != uid else {
        throw BrokerError(.refused, .alreadyOwn, "The library is your own: your programs know of it for as long as it is there.")
      }
      let uid = uid
      let before = library.record
      guard library.planned.declinedBy.contains(uid) == accepts else { return completion(.success(Receipt())) }
      var record = library.planned
      if accepts { record.declinedBy.remove(uid) } else { record.declinedBy.insert(uid) }
      library.planned = record
      if !accepts { library.record.declinedBy.insert(uid) }
      let (ended, effect) = broker.endUse(of: library, offeredBefore: before)
      let words = ["declined by user \(uid)", "offered to user \(uid)"]
      let decision = DecisionRecord(
        time: broker.environment.now, by: Decider(uid: uid, role: .user, origin: origin), action: accepts ? "accept" : "decline",
        library: name, before: words[accepts ? 0 : 1], after: words[accepts ? 1 : 0])
      var changes: [StoreChange] = [.putLibrary(record), .decide(decision)]
      if !accepts { changes.append(broker.narrowingMark()) }
      broker.store.keep(changes) { [broker] failure in
        if let failure {
          library.planned = library.record
          return completion(.failure(.notKept(failure, narrowed: !accepts)))
        }
        // One that was declined again meanwhile stays so.
        if !library.planned.declinedBy.contains(uid) { library.record.declinedBy.remove(uid) }
        broker.receipt(for: ended, effect: effect) { completion(.success($0)) }
      }
    } catch {
      completion(.failure(error))
    }
  }
}

extension Broker {
  /// Ends what apps use of a library that does not exist for their users any more.
  /// - Parameter before: the library while it did.
  func endUse(of library: LibraryState, offeredBefore before: LibraryRecord) -> (ended: [GrantKey], effect: NarrowingEffect) {
    func isTold(_ app: AppIdentifier) -> Bool { apps[app].map { library.record.isOffered(to: $0.record.uid) } ?? false }
    var ended: [GrantKey] = []
    var effect = NarrowingEffect()
    for grant in grants(in: library.record.name) where grant.record.status.grantsAccess && !isTold(grant.record.key.app) {
      guard let app = apps[grant.record.key.app], before.isOffered(to: app.record.uid) else { continue }
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
