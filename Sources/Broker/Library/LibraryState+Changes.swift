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
    let token = try openToken(text, of: grant.record.key.app)
    advance(grant)
    if token.generation == grant.record.viewGeneration, grant.feeds.feed(narrowing).since(token) == nil {
      throw .tokenExpired("is from too far back to list what came since")
    }
    return try event(from: token, grant: grant, narrowing: narrowing)
  }

  /// Whether a token can be of use at all: that needs no look at what happened.
  /// - Throws: `persistentChangeTokenExpired` for a token that is too old, or not this app's.
  package func checkToken(_ text: String, of app: AppIdentifier) throws(BrokerError) {
    _ = try openToken(text, of: app)
  }

  private func openToken(_ text: String, of app: AppIdentifier) throws(BrokerError) -> ChangeToken {
    guard let bytes = try seals(of: app).open(text, for: Self.purpose), let token = ChangeToken(bytes: bytes) else {
      throw .tokenExpired("is not valid here")
    }
    guard !token.hasExpired(at: environment.now) else {
      let days = BrokerLimits.changeTokenLifetime.components.seconds / 86_400
      throw .tokenExpired("is older than \(days) days")
    }
    return token
  }

  /// Begins to watch. `signal` is called whenever `next` may have something; never from inside this call.
  package func observe(
    since text: String?, grant: GrantState, narrowing: Narrowing?, signal: @escaping () -> Void
  ) throws(BrokerError) -> (observer: ChangeObserver, first: ChangeEvent) {
    let first = try changes(since: text, grant: grant, narrowing: narrowing)
    let observer = ChangeObserver(
      grant: grant, narrowing: narrowing, token: present(grant, narrowing), albumsRevision: albumsRevision,
      signal: signal)
    observers[ObjectIdentifier(observer)] = observer
    return (observer, first)
  }

  /// What happened since the observer was last told; nil where nothing did that it may see.
  package func next(_ observer: ChangeObserver) throws(BrokerError) -> ChangeEvent? {
    let event = try event(from: observer.token, grant: observer.grant, narrowing: observer.narrowing)
    observer.token = present(observer.grant, observer.narrowing)
    observer.albumsRevision = albumsRevision
    return event.isEmpty ? nil : event
  }

  /// Whether albums changed since the observer was last told. What its policy says of them decides
  /// whether it sees that.
  package func hasUnseenAlbums(for observer: ChangeObserver) -> Bool { observer.albumsRevision != albumsRevision }

  /// Notes what a grant saw of what happened, before its app asks: how long an answer takes would
  /// otherwise follow from how much happened out of its sight.
  /// - Parameter hasTime: Asked before each look at an album that takes some.
  /// - Returns: false where there was no time for all of it; call it again for the rest.
  package func noteSeen(by grant: GrantState, while hasTime: () -> Bool) -> Bool {
    guard grant.record.key.level == .readWrite, grant.record.status.grantsAccess else { return true }
    advance(grant)
    guard prepareAlbumSights(of: grant, nil, while: hasTime) else { return false }
    return grant.narrowings.allSatisfy { prepareAlbumSights(of: grant, $0, while: hasTime) }
  }

  package func stopObserving(_ observer: ChangeObserver) {
    observers[ObjectIdentifier(observer)] = nil
  }

  /// The kind of view changed: limited, full, nothing; or the albums in it, of which the grant's
  /// policy thinks otherwise (R137). Called by whoever changed the grant, after it took effect.
  package func grantDidChange(_ grant: GrantState) {
    for observer in observers.values where observer.grant === grant { observer.signal() }
  }

  func signalObservers() {
    for observer in observers.values { observer.signal() }
  }

  // MARK: Working it out

  private func present(_ grant: GrantState, _ narrowing: Narrowing?) -> ChangeToken {
    advance(grant)
    let feed = grant.feeds.feed(narrowing)
    return ChangeToken(
      generation: grant.record.viewGeneration, position: feed.position, digest: feed.digest,
      albums: albumSights(of: grant, narrowing).digest, issued: environment.now)
  }

  private func event(
    from token: ChangeToken?, grant: GrantState, narrowing: Narrowing?
  ) throws(BrokerError) -> ChangeEvent {
    let now = present(grant, narrowing)
    let seals = try seals(of: grant.record.key.app)
    var event = ChangeEvent(token: try seals.seal(now.bytes, for: Self.purpose), status: grant.record.status)
    guard let token, !token.isAt(now) else { return event }
    guard token.generation == now.generation, let seen = grant.feeds.feed(narrowing).since(token) else {
      event.resynchronize = true
      return event
    }
    let difference = ViewDifference(seen, grant: grant, narrowing: narrowing, catalogue: catalogue)
    event.albumsChanged = token.albums != now.albums
    guard difference.inserted.count + difference.changed.count + difference.removed.count <= Self.eventLimit else {
      event.resynchronize = true
      return event
    }
    event.inserted = difference.inserted.compactMap { catalogue.row(of: $0) }
    event.changed = difference.changed.compactMap { catalogue.row(of: $0) }
    event.removed = try seals.seal(difference.removed)
    return event
  }

  /// Looks at what the log got since the grant's feeds were last filled, and notes what the grant could see of it.
  private func advance(_ grant: GrantState) {
    if grant.feeds.generation != grant.record.viewGeneration {
      grant.feeds = GrantFeeds(
        generation: grant.record.viewGeneration, scanned: max(grant.record.viewSince, log.forgotten))
    }
    let entries = log.since(grant.feeds.scanned)
    guard let last = entries.last else { return }
    var sight = Sight(of: grant, catalogue: catalogue)
    grant.feeds.note(sight.seen(of: entries), through: last.sequence)
  }

  // MARK: Bounding it

  /// How many entries the log may hold before it is folded.
  package var changeLogCapacity: Int {
    get { log.capacity }
    set { log.capacity = newValue }
  }

  /// Whether the log is to be folded.
  var isLogFull: Bool { log.entries.count > log.capacity }

  /// Has each grant keep what it saw of the log, and forgets the log.
  /// - Parameter grants: all that have a view here.
  package func foldLog(_ grants: [GrantState]) {
    for grant in grants { advance(grant) }
    let through = log.lastSequence
    log.forget(through: through)
    let changed = grants.filter { !$0.feeds.isKept }
    for grant in changed { grant.feeds.isKept = true }
    let views = changed.map { $0.feeds.record(of: $0.record.key) }
    store.keep([.foldChanges(record.name, through: through, views: views)]) { failure in
      // The disk has the entries still, and all views are written when it takes the next ones.
      if failure != nil { for grant in grants { grant.feeds.isKept = false } }
    }
  }
}

extension BrokerError {
  fileprivate static func tokenExpired(_ why: String) -> Self {
    .photos(
      .persistentChangeTokenExpired, "The change token \(why); compare with FetchVersions and go on with its token.")
  }
}
