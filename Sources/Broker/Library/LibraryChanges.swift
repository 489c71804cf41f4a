import Catalogue
import Limits
import PhotoModel

/// The changes of one library: their log, its observers, and the assets of the latest revisions.
package final class LibraryChanges {
  /// Limit of changes listed in one event; above it, the app must fetch everything again.
  package static let eventLimit = 1_000

  private static let purpose = [UInt8]("changes".utf8)

  var log: ChangeLog
  private var observers: [ObjectIdentifier: ChangeObserver] = [:]
  /// Changes with every change of assets, marks, albums and the trash. It starts at the time of
  /// day, so that a restart gives new values.
  package private(set) var revision: Int64
  package private(set) var recent: RecentChanges
  private let assets: LibraryAssets
  private let albums: LibraryAlbums
  private let seals: LibrarySeals
  private let store: any Store
  private let environment: any Environment
  private unowned let broker: any LibraryBroker

  init(
    _ contents: LibraryContents, assets: LibraryAssets, albums: LibraryAlbums, seals: LibrarySeals, store: any Store,
    environment: any Environment, broker: any LibraryBroker
  ) {
    log = ChangeLog(
      entries: contents.changes, nextSequence: contents.nextSequence, forgotten: contents.changesForgotten)
    revision = environment.now.microseconds
    recent = RecentChanges(from: revision)
    self.assets = assets
    self.albums = albums
    self.seals = seals
    self.store = store
    self.environment = environment
    self.broker = broker
  }

  // MARK: Noting

  /// The position in the log of a view that begins now.
  package var presentSequence: UInt64 { log.lastSequence }

  /// Appends committed records to the log and signals observers.
  func append(_ records: [ChangeRecord]) {
    guard !records.isEmpty else { return }
    enter(records)
    tell()
  }

  /// Appends committed records to the log; observers are signalled later.
  func enter(_ records: [ChangeRecord]) {
    log.append(records)
    albums.noteMoves(of: records)
    for grant in broker.grants(in: assets.library) {
      for attenuation in grant.live.values { follow(attenuation, of: grant, after: records) }
    }
  }

  /// Brings a live attenuation up to date, and makes prepared replies about lost assets stale.
  func follow(_ attenuation: Attenuation, of grant: GrantState, after records: [ChangeRecord] = []) {
    if attenuation.follow(records, of: grant, albums, assets.catalogue) {
      broker.losesAssets(attenuation, of: grant)
    }
  }

  func tell() {
    signalObservers()
    broker.logGrew(in: assets.library)
  }

  /// Begins a new revision.
  /// - Parameter changed: the assets added, removed or changed; nil: too many to note.
  func noteRevision(_ changed: [AssetIdentifier]?) {
    revision &+= 1
    recent.note(changed, at: revision)
  }

  // MARK: Asking

  /// The changes in a grant's view since a token. Without a token: none, and a token to start from.
  /// - Throws: `persistentChangeTokenExpired` for a token that is too old, or not this app's.
  package func list(
    since text: String?, grant: GrantState, attenuation: Attenuation?
  ) throws(BrokerError) -> ChangeEvent {
    guard let text else { return try event(from: nil, grant: grant, attenuation: attenuation) }
    let token = try openToken(text, of: grant.record.key.app)
    advance(grant)
    if token.generation == grant.record.viewGeneration, grant.feeds.feed(attenuation).since(token) == nil {
      throw .tokenExpired("is too old to list the changes since")
    }
    return try event(from: token, grant: grant, attenuation: attenuation)
  }

  /// Checks that a token is valid, without computing the changes.
  /// - Throws: `persistentChangeTokenExpired` for a token that is too old, or not this app's.
  package func checkToken(_ text: String, of app: AppIdentifier) throws(BrokerError) {
    _ = try openToken(text, of: app)
  }

  private func openToken(_ text: String, of app: AppIdentifier) throws(BrokerError) -> ChangeToken {
    guard let bytes = try seals[app].open(text, for: Self.purpose), let token = ChangeToken(bytes: bytes) else {
      throw .tokenExpired("is not valid here")
    }
    guard !token.hasExpired(at: environment.now) else {
      let days = BrokerLimits.changeTokenLifetime.components.seconds / 86_400
      throw .tokenExpired("is older than \(days) days")
    }
    return token
  }

  /// Begins to observe. `signal` is called whenever `next` may return an event, but never during
  /// this call.
  package func observe(
    since text: String?, grant: GrantState, attenuation: Attenuation?, signal: @escaping () -> Void
  ) throws(BrokerError) -> (observer: ChangeObserver, first: ChangeEvent) {
    let first = try list(since: text, grant: grant, attenuation: attenuation)
    let observer = ChangeObserver(
      grant: grant, attenuation: attenuation, token: present(grant, attenuation), albumsRevision: albums.revision,
      albums: albums.visibleAlbums(of: grant, attenuation), signal: signal)
    observers[ObjectIdentifier(observer)] = observer
    return (observer, first)
  }

  /// The changes since the observer's last event; nil if none is visible.
  package func next(_ observer: ChangeObserver) throws(BrokerError) -> ChangeEvent? {
    var event = try event(from: observer.token, grant: observer.grant, attenuation: observer.attenuation)
    observer.token = present(observer.grant, observer.attenuation)
    observer.albumsRevision = albums.revision
    let before = observer.albums
    observer.albums = albums.visibleAlbums(of: observer.grant, observer.attenuation)
    if event.albumsChanged, !event.resynchronize {
      let changed = observer.albums.changed(since: before)
      let seals = try self.seals[observer.grant.record.key.app]
      if changed.count <= Self.eventLimit {
        event.albums = try changed.map { (album) throws(BrokerError) in try seals.seal(album) }
      }
    }
    return event.isEmpty ? nil : event
  }

  /// The event of an observer whose access is gone. It has the position of the last event.
  package func absence(of observer: ChangeObserver) throws(BrokerError) -> ChangeEvent {
    let (seals, grant) = (try self.seals[observer.grant.record.key.app], observer.grant)
    var event = ChangeEvent(
      token: try seals.seal(observer.token.bytes, for: Self.purpose), status: grant.status(environment))
    event.isAway = true
    return event
  }

  /// Whether albums changed since the observer's last event. The grant's policy decides whether the
  /// observer sees the change.
  package func hasUnseenAlbums(for observer: ChangeObserver) -> Bool { observer.albumsRevision != albums.revision }

  /// Processes new changes for a grant before its app asks. Otherwise the duration of the app's
  /// call would reveal the number of invisible changes.
  /// - Parameter hasTime: called before each costly computation for an album.
  /// - Returns: false if time ran out; call it again for the rest.
  package func noteSeen(by grant: GrantState, while hasTime: () -> Bool) -> Bool {
    guard grant.record.key.level == .readWrite, grant.record.status.grantsAccess else { return true }
    advance(grant)
    guard albums.prepareVisibleAlbums(of: grant, nil, while: hasTime) else { return false }
    return grant.attenuations.allSatisfy { albums.prepareVisibleAlbums(of: grant, $0, while: hasTime) }
  }

  package func stopObserving(_ observer: ChangeObserver) {
    observers[ObjectIdentifier(observer)] = nil
  }

  /// Signals a grant's observers after its view, or its policy's answer, changed (R137). Call it
  /// after the change took effect.
  package func grantDidChange(_ grant: GrantState) {
    for attenuation in grant.live.values { follow(attenuation, of: grant) }
    for observer in observers.values where observer.grant === grant { observer.signal() }
  }

  func signalObservers() {
    for observer in observers.values { observer.signal() }
  }

  // MARK: Computing

  private func present(_ grant: GrantState, _ attenuation: Attenuation?) -> ChangeToken {
    advance(grant)
    let feed = grant.feeds.feed(attenuation)
    return ChangeToken(
      generation: grant.record.viewGeneration, position: feed.position, digest: feed.digest,
      albums: albums.visibleAlbums(of: grant, attenuation).digest, issued: environment.now)
  }

  private func event(
    from token: ChangeToken?, grant: GrantState, attenuation: Attenuation?
  ) throws(BrokerError) -> ChangeEvent {
    let now = present(grant, attenuation)
    let seals = try self.seals[grant.record.key.app]
    var event = ChangeEvent(token: try seals.seal(now.bytes, for: Self.purpose), status: grant.record.status)
    guard let token, !token.isAt(now) else { return event }
    guard token.generation == now.generation, let seen = grant.feeds.feed(attenuation).since(token) else {
      event.resynchronize = true
      return event
    }
    let difference = ViewDifference(seen, grant: grant, attenuation: attenuation, catalogue: assets.catalogue)
    event.albumsChanged = token.albums != now.albums
    guard difference.inserted.count + difference.changed.count + difference.removed.count <= Self.eventLimit else {
      event.resynchronize = true
      return event
    }
    event.inserted = difference.inserted.compactMap { assets.catalogue.row(of: $0) }
    event.changed = difference.changed.compactMap { assets.catalogue.row(of: $0) }
    event.removed = try seals.seal(difference.removed)
    return event
  }

  /// Adds new log entries that the grant sees to its feeds.
  private func advance(_ grant: GrantState) {
    if grant.feeds.generation != grant.record.viewGeneration {
      grant.feeds = GrantFeeds(
        generation: grant.record.viewGeneration, scanned: max(grant.record.viewSince, log.forgotten))
    }
    let entries = log.since(grant.feeds.scanned)
    guard let last = entries.last else { return }
    var filter = ChangeVisibilityFilter(of: grant, catalogue: assets.catalogue)
    grant.feeds.note(filter.seen(of: entries), through: last.sequence)
  }

  // MARK: Trimming

  /// Drops the log's entries up to a sequence, and returns the changes to store.
  func forget(through sequence: UInt64) -> [StoreChange] {
    log.forget(through: sequence)
    return [.trimChanges(assets.library, below: sequence + 1)]
  }

  var isLogFull: Bool { log.entries.count > log.capacity }

  /// Stores the visible changes of each grant, and drops the log's entries.
  /// - Parameter grants: all grants with a view of this library.
  package func foldLog(_ grants: [GrantState]) {
    for grant in grants { advance(grant) }
    let through = log.lastSequence
    log.forget(through: through)
    let changed = grants.filter { !$0.feeds.isKept }
    for grant in changed { grant.feeds.isKept = true }
    let views = changed.map { $0.feeds.record(of: $0.record.key) }
    store.commit([.foldChanges(assets.library, through: through, views: views)]) { failure in
      // The store still has the entries; the next fold writes all views.
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
