import Catalogue
import Limits
import Macaroons
import PhotoModel

/// Answers to pickers, and the ends of pickers and picks.
struct PickerService {
  let broker: Broker

  /// Carries out a person's answer.
  ///
  /// - Parameters:
  ///   - chosen: the assets in the order of picking; nil: cancelled.
  ///   - again: preselected assets that were deselected and picked again.
  ///   - terms: what differs from ``terms(of:)``.
  /// - Returns: the number of items that the app got.
  /// - Throws: `refused` for assets that this picker does not offer.
  func answer(
    _ request: PickerRequest, chosen: [AssetRow]?, again: Set<AssetNumber>, _ terms: GrantTerms.Choice,
    by decider: Decider
  ) throws(BrokerError) -> Int {
    guard let chosen else {
      broker.promptService.backOff(.picker, request.library, request.app.record)
      finish(request, cancelled(request))
      return 0
    }
    let configuration = request.configuration
    guard Set(chosen.map(\.number)).count == chosen.count else {
      throw .refused(.assetTwice, "An asset is named twice; name it once.")
    }
    guard chosen.count <= configuration.most else {
      throw .refused(
        .pickerFull, "This picker takes at most \(configuration.most); choose fewer.",
        ["limit": "\(configuration.most)"])
    }
    // The app has preselected assets already, so they may stay whatever their type.
    let preselected = Set(request.preselected.map(\.number))
    let isFitting: (AssetRow) -> Bool = { row in
      request.library.isPickable(row)
        && (configuration.mediaTypes.isEmpty || configuration.mediaTypes.contains(row.mediaType)
          || preselected.contains(row.number))
    }
    guard chosen.allSatisfy(isFitting) else {
      throw .refused(
        .pickerTakesNot,
        "This picker refuses some of these assets: choose its media types, and no asset that is never shared.")
    }
    let renewable = preselected.intersection(chosen.map(\.number))
    guard again.isSubset(of: renewable) else {
      throw .refused("Assets in again must be both preselected and picked; leave the others out of again.")
    }
    let outcome = try picked(chosen, again: again, terms, request)
    let items = outcome.picked.count { $0.item != nil }
    if chosen.isEmpty {
      broker.promptService.backOff(.picker, request.library, request.app.record)
    } else {
      broker.promptService.forgive(.picker, request.library, request.app.record)
    }
    guard items > 0 else {
      finish(request, .success(outcome))
      return 0
    }
    let key = key(of: request)
    let decision = DecisionRecord(
      time: broker.environment.now, by: decider, action: "pick", library: key.library, app: key.app, level: key.level,
      before: "", after: "\(items) picked")
    broker.store.commit([.notePick(key.library, key.app, assets: items, at: decision.time), .decide(decision)]) {
      [self] failure in
      if failure == nil { request.library.notePick(by: key.app, assets: items, at: decision.time) }
      finish(request, failure.map { .failure(.failed($0)) } ?? .success(outcome))
    }
    return items
  }

  private func cancelled(_ request: PickerRequest) -> Result<PickerOutcome, BrokerError> {
    // Exactly as the app gave them: a cancelled picker must not reveal which assets still exist.
    .success(
      PickerOutcome(
        picked: request.configuration.preselected.map { PickerOutcome.Picked(item: nil, identifier: $0, row: nil) },
        isCancelled: true, permit: nil))
  }

  private func key(of request: PickerRequest) -> GrantKey {
    GrantKey(library: request.library.record.name, app: request.app.identifier, level: .readWrite)
  }

  /// The terms of a pick whose answer names none: without places, unless the library's default has
  /// them, and without what the app's grant withholds. No allowance counts a pick.
  func terms(of request: PickerRequest) -> GrantTerms {
    let standard = request.defaultTerms.held(by: request.library.record.defaultTerms)
    let granted = broker.grants[key(of: request)]?.record.terms ?? .standard
    var terms = standard.narrowed(to: granted)
    terms.location = standard.location == true && granted.location != false
    terms.allowance = Allowance()
    terms.allowance[.photosPerDay] = 0
    return terms
  }

  private func picked(
    _ chosen: [AssetRow], again: Set<AssetNumber>, _ choice: GrantTerms.Choice, _ request: PickerRequest
  ) throws(BrokerError) -> PickerOutcome {
    let seals = try request.library.seals[request.app.identifier]
    let numbers = Set(chosen.map(\.number))
    let kept = request.preselected.filter { numbers.contains($0.number) && !again.contains($0.number) }
    var outcome = PickerOutcome(
      picked: kept.map { PickerOutcome.Picked(item: nil, identifier: $0.given, row: nil) }, isCancelled: false,
      permit: nil)
    let old = Set(kept.map(\.number))
    var items: [AppIdentifier: AssetNumber] = [:]
    for row in chosen where !old.contains(row.number) {
      let item = broker.newIdentifier()
      items[item] = row.number
      let identifier = request.configuration.givesIdentifiers ? try seals.seal(row.identifier) : nil
      outcome.picked.append(PickerOutcome.Picked(item: item, identifier: identifier, row: row))
    }
    guard !items.isEmpty else { return outcome }
    let accessor = broker.newAccessor()
    var terms = self.terms(of: request)
    choice.apply(to: &terms)
    let end = broker.environment.now.advanced(by: BrokerLimits.pickLifetime)
    let grant = GrantState(
      record: GrantRecord(
        key: key(of: request), status: .limited, isPaused: false, expires: end, albumPolicy: "none", role: .owner,
        decided: broker.environment.now,
        accessor: accessor, epoch: broker.editor.nextEpoch(), terms: terms),
      selection: request.library.catalogue.selection(of: items.values))
    grant.setDeadline(broker.environment, now: broker.environment.now)
    let attachment = Attachment(
      accessor: accessor, grant: grant, library: request.library, verbs: .read, isWhole: false)
    broker.pickers.keep(Pick(attachment: attachment, items: items), for: request.session, broker.environment)
    outcome.expires = end
    outcome.permit = Permit(session: request.session, attachment: attachment, verbs: .read)
    return outcome
  }

  private func finish(_ request: PickerRequest, _ result: Result<PickerOutcome, BrokerError>) {
    guard !request.session.isClosed else { return }
    request.completion(result)
  }

  // MARK: Ends of pickers and picks

  /// Withdraws the pickers and ends the picks of a closed connection.
  func close(of session: Session) {
    let gone = broker.pickers.remove { $0.session === session }
    for pick in broker.pickers.forget(session) { pick.grant.isRemoved = true }
    for request in gone {
      // A disconnect counts as a dismissal.
      broker.promptService.backOff(.picker, request.library, request.app.record)
      broker.delegate?.promptsChanged(owners: request.library.owners)
    }
  }

  /// Replaces the pickers of a renamed app by new ones with other identifiers; the app's calls stay
  /// open. The pickers of an app that does this repeatedly are withdrawn.
  func renew(of app: App) {
    for request in broker.pickers.waiting
    where request.app === app && request.displayName != app.record.manifest.displayName {
      broker.promptService.backOff(.changedWords, request.library, app.record)
      do throws(BrokerError) {
        try broker.promptService.requirePatience(.changedWords, request.library.record.name, app.record)
        broker.pickers.replace(request, with: request.renewed(as: broker.newIdentifier()))
      } catch {
        _ = broker.pickers.remove(request.identifier)
        finish(request, .failure(error))
      }
      broker.delegate?.promptsChanged(owners: request.library.owners)
    }
  }

  /// Withdraws pickers and ends picks that were not loaded, on a revocation or with a removed
  /// library or app.
  /// - Returns: the counts for the receipt.
  @discardableResult
  func endPicks(where isMeant: (GrantKey) -> Bool) -> NarrowingEffect {
    let ended = broker.pickers.grants.filter { isMeant($0.record.key) && !$0.isRemoved }
    var effect = NarrowingEffect(picks: loadable(ended))
    for grant in ended {
      grant.isRemoved = true
      effect = effect + broker.editor.invalidate(grant)
    }
    withdraw { isMeant(GrantKey(library: $0.library.record.name, app: $0.app.identifier, level: .readWrite)) }
    return effect
  }

  /// Number of assets that can still be loaded, summed over apps and libraries.
  private func loadable(_ picks: [GrantState]) -> Int {
    Dictionary(grouping: picks.filter { $0.isInForce(broker.environment) }, by: \.record.key).reduce(0) { sum, each in
      guard let catalogue = broker.libraries[each.key.library]?.catalogue else { return sum }
      return sum
        + catalogue.count(
          of: each.value.reduce(into: catalogue.emptySelection()) { $0 = catalogue.union($0, $1.selection) })
    }
  }

  /// Withdraws pickers whose token a decision on this grant ended.
  func withdraw(withTokensOf grant: GrantState) {
    let key = grant.record.key
    withdraw { $0.app.identifier == key.app && $0.library.record.name == key.library && !$0.mayStayOpen }
  }

  func withdrawOfEndedTokens() {
    for request in withdraw(where: { !$0.mayStayOpen }) {
      broker.promptService.backOff(.picker, request.library, request.app.record)
    }
  }

  @discardableResult
  private func withdraw(where isMeant: (PickerRequest) -> Bool) -> [PickerRequest] {
    let withdrawn = broker.pickers.remove(where: isMeant)
    for request in withdrawn {
      broker.delegate?.promptsChanged(owners: request.library.owners)
      finish(request, .failure(.photos(.operationInterrupted, "The picker was withdrawn; open it again.")))
    }
    return withdrawn
  }
}
