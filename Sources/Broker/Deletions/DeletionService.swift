package import Catalogue
import Limits
import PhotoModel

/// Asks people before apps delete photos (R153).
package struct DeletionService {
  let broker: Broker

  /// Asks the library's owners whether an app may delete photos that it sees.
  ///
  /// - Parameters:
  ///   - permit: the permit of the app's call.
  ///   - completion: called at the answer, with the confirmed question. The caller checks and plans
  ///     the deletion again, because access and photos may have changed since. Fails with
  ///     `userCancelled` after a refusal, and with `operationInterrupted` if a photo changed meanwhile
  ///     or the app's access ended.
  /// - Throws: `nobodyToAsk` if no program of an owner that shows requests is connected;
  ///   `limitExceeded` for too many photos or pending questions, and after several refusals.
  package func ask(
    about photos: [AssetNumber], under permit: Permit, completion: @escaping Completion<DeletionRequest>
  ) throws(BrokerError) {
    let library = permit.library
    guard let app = broker.apps[permit.app] else { throw .tokenRefused() }
    guard photos.count <= BrokerLimits.picked else {
      throw .photos(
        .limitExceeded,
        "A person confirms at most \(BrokerLimits.picked) deletions at once; make several requests.")
    }
    let ofLibrary = broker.deletions.filter { $0.library === library }
    guard ofLibrary.count < BrokerLimits.promptsPerLibrary,
      ofLibrary.count(where: { $0.app.record.uid == app.record.uid }) < BrokerLimits.promptsPerUser
    else {
      throw .photos(
        .limitExceeded, "Too many deletions wait for this library's owner; ask again when some are answered.")
    }
    try broker.promptService.requirePatience(.deletion, library.record.name, app.record)
    let notice = broker.waitingNotice(to: library.owners)
    guard notice.isShown else { throw .nobodyToAsk(notice.owners) }
    let shown = photos.compactMap { number in
      library.catalogue.row(of: number).map { (number: number, version: $0.version) }
    }
    broker.deletions.append(
      DeletionRequest(
        identifier: broker.newIdentifier(), app: app, asked: broker.environment.now, photos: shown, permit: permit,
        completion: completion))
    broker.delegate?.promptsChanged(owners: library.owners)
  }

  /// Records a person's answer, then tells the app's call.
  func answer(_ request: DeletionRequest, allows: Bool, by decider: Decider) {
    remove { $0 === request }
    let (library, key) = (request.library, request.permit.grant.record.key)
    if allows {
      broker.promptService.forgive(.deletion, library, request.app.record)
    } else {
      broker.promptService.backOff(.deletion, library, request.app.record)
    }
    let count = request.photos.count
    let decision = DecisionRecord(
      time: broker.environment.now, by: decider, action: "confirm", library: key.library, app: key.app,
      level: key.level, before: "\(count) to delete", after: allows ? "deletion allowed" : "deletion refused")
    broker.store.commit([.decide(decision)]) { [self] failure in
      if let failure { return finish(request, .failed(failure)) }
      guard allows else {
        return finish(request, .photos(.userCancelled, "The person did not allow this deletion; nothing was changed."))
      }
      finish(request, request.isCurrent ? nil : .changedSinceAsked)
    }
  }

  /// Withdraws the questions of a closed connection. Each counts as a refusal.
  func close(of session: Session) {
    for request in remove(where: { $0.permit.session === session }) {
      broker.promptService.backOff(.deletion, request.library, request.app.record)
    }
  }

  /// Withdraws the questions of apps whose access ended or whose names changed.
  func withdrawEnded() {
    for request in remove(where: { !$0.mayStayOpen }) {
      if request.isRenamed { broker.promptService.backOff(.deletion, request.library, request.app.record) }
      finish(
        request,
        .photos(
          .operationInterrupted, "The question about this deletion was withdrawn; ask for the status, then repeat."))
    }
  }

  @discardableResult
  private func remove(where isMeant: (DeletionRequest) -> Bool) -> [DeletionRequest] {
    let removed = broker.deletions.filter(isMeant)
    guard !removed.isEmpty else { return [] }
    broker.deletions.removeAll { request in removed.contains { $0 === request } }
    broker.delegate?.promptsChanged(owners: removed.reduce(into: []) { $0.formUnion($1.library.owners) })
    return removed
  }

  private func finish(_ request: DeletionRequest, _ error: BrokerError?) {
    guard !request.permit.session.isClosed else { return }
    request.completion(error.map { .failure($0) } ?? .success(request))
  }
}

extension BrokerError {
  package static let changedSinceAsked = BrokerError.photos(
    .operationInterrupted,
    "A photo changed since the person was asked, and nothing was deleted; fetch again and repeat the request.")
  static func nobodyToAsk(_ owners: [String]) -> Self {
    let people = owners.joined(separator: " or ")
    return Self(
      .nobodyToAsk(owners: owners),
      "Nobody can be asked, and nothing was deleted: no program of \(people) that shows requests is connected. "
        + "\(people) can open the page (photobroker open), or run photobroker notify or photobroker deletion wait; "
        + "repeat the request then.")
  }

  package static let unconfirmedDeletion = BrokerError.photos(
    .operationInterrupted,
    "A person now confirms this app's deletions, and nothing was deleted; repeat the request.")
}
