import Catalogue
import Limits
import PhotoModel

extension LibraryState {
  /// More than this in one event is not listed; the app is asked to fetch again.
  package static let eventLimit = 1_000

  private static let purpose = [UInt8]("changes".utf8)

  // MARK: Asking

  /// What happened in a grant's view since a token. Without a token: nothing yet, and the token to start from.
  /// - Throws: `persistentChangeTokenExpired` for a token that is too old, or not this app's.
  package func changes(
    since text: String?, grant: GrantState, narrowing: Narrowing?
  ) throws(BrokerError) -> ChangeEvent {
    guard let text else { return try event(from: nil, grant: grant, narrowing: narrowing) }
    guard let bytes = try seals(of: grant.record.key.app).open(text, for: Self.purpose), let token = ChangeToken(bytes: bytes)
    else {
      throw .tokenExpired("is not valid here")
    }
    guard !token.hasExpired(at: environment.now) else {
      let days = BrokerLimits.changeTokenLifetime.components.seconds / 86_400
      throw .tokenExpired("is older than \(days) days")
    }
    advance(grant, narrowing)
    if token.generation == grant.record.viewGeneration,
      grant.feeds[narrowing].sequence(at: token, since: start(of: grant)) == nil
    {
      throw .tokenExpired("is from too far back to list what came since")
    }
    return try event(from: token, grant: grant, narrowing: narrowing)
  }

  /// Begins to watch. `signal` is called whenever `next` may have something; never from inside this call.
  package func observe(
    since text: String?, grant: GrantState, narrowing: Narrowing?, signal: @escaping () -> Void
  ) throws(BrokerError) -> (observer: ChangeObserver, first: ChangeEvent) {
    let first = try changes(since: text, grant: grant, narrowing: narrowing)
    let observer = ChangeObserver(grant: grant, narrowing: narrowing, token: present(grant, narrowing), signal: signal)
    observers[ObjectIdentifier(observer)] = observer
    return (observer, first)
  }

  /// What happened since the observer was last told; nil where nothing did that it may see.
  package func next(_ observer: ChangeObserver) throws(BrokerError) -> ChangeEvent? {
    var event = try event(from: observer.token, grant: observer.grant, narrowing: observer.narrowing)
    observer.token = present(observer.grant, observer.narrowing)
    event.albumsChanged = event.albumsChanged || observer.seesOtherAlbums
    observer.seesOtherAlbums = false
    return event.isEmpty ? nil : event
  }

  /// Whether albums changed since the grant's feed was last filled. What its policy says of them decides whether it sees that.
  package func hasUnseenAlbums(for grant: GrantState, _ narrowing: Narrowing?) -> Bool {
    log.since(grant.feeds[narrowing].scanned).contains { $0.album != nil }
  }

  package func stopObserving(_ observer: ChangeObserver) {
    observers[ObjectIdentifier(observer)] = nil
  }

  /// The kind of view changed: limited, full, nothing. Called by whoever changed the grant, after it took effect.
  package func grantDidChange(_ grant: GrantState) {
    for observer in observers.values where observer.grant === grant { observer.signal() }
  }

  /// The grant's album policy answered another thing than before: running apps are told (R137).
  func albumsDidChange(for grant: GrantState) {
    for observer in observers.values where observer.grant === grant {
      observer.seesOtherAlbums = true
      observer.signal()
    }
  }

  func signalObservers() {
    for observer in observers.values { observer.signal() }
  }

  // MARK: Working it out

  /// Sequence at which the present kind of view began, or what is left of it.
  private func start(of grant: GrantState) -> UInt64 { max(grant.record.viewSince, log.firstSequence - 1) }

  private func present(_ grant: GrantState, _ narrowing: Narrowing?) -> ChangeToken {
    advance(grant, narrowing)
    let feed = grant.feeds[narrowing]
    return ChangeToken(
      generation: grant.record.viewGeneration, position: feed.position, digest: feed.digest, issued: environment.now)
  }

  private func event(
    from token: ChangeToken?, grant: GrantState, narrowing: Narrowing?
  ) throws(BrokerError) -> ChangeEvent {
    let now = present(grant, narrowing)
    let seals = try seals(of: grant.record.key.app)
    var event = ChangeEvent(token: try seals.seal(now.bytes, for: Self.purpose), status: grant.record.status)
    guard let token, !token.isAt(now) else { return event }
    guard
      token.generation == now.generation,
      let sequence = grant.feeds[narrowing].sequence(at: token, since: start(of: grant))
    else {
      event.resynchronize = true
      return event
    }
    let isLimited = grant.record.status == .limited
    let difference = ViewDifference(
      entries: log.since(sequence), grant: grant, narrowing: narrowing, catalogue: catalogue,
      showsAlbum: { [self] in shows($0, to: grant) }, isPresent: { [self] in isPresent($0, isLimited: isLimited) })
    event.albumsChanged = difference.albumsChanged
    guard difference.inserted.count + difference.changed.count + difference.removed.count <= Self.eventLimit else {
      event.resynchronize = true
      return event
    }
    event.inserted = difference.inserted.compactMap { catalogue.row(of: $0) }
    event.changed = difference.changed.compactMap { catalogue.row(of: $0) }
    event.removed = try seals.seal(difference.removed)
    return event
  }

  /// Looks at what the log got since the feed was last filled, and notes what the grant could see of it, less what the token
  /// was not narrowed to.
  private func advance(_ grant: GrantState, _ narrowing: Narrowing?) {
    var feed = grant.feeds[narrowing]
    if feed.generation != grant.record.viewGeneration {
      feed = GrantFeed()
      feed.generation = grant.record.viewGeneration
      feed.scanned = start(of: grant)
    }
    let entries = log.since(feed.scanned)
    if let last = entries.last {
      let isLimited = grant.record.status == .limited
      let sight = Sight(
        entries: entries, grant: grant, catalogue: catalogue, showsAlbum: { [self] in shows($0, to: grant) },
        isPresentNow: { [self] in isPresent($0, isLimited: isLimited) })
      for entry in entries where sight.sees(entry) && narrowing?.concerns(entry) ?? true { feed.note(entry) }
      feed.scanned = last.sequence
    }
    grant.feeds[narrowing] = feed
  }
}

extension BrokerError {
  fileprivate static func tokenExpired(_ why: String) -> Self {
    .photos(.persistentChangeTokenExpired, "The change token \(why); compare with FetchVersions and go on with its token.")
  }
}
