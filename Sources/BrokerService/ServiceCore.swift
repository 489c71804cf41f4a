import Broker
import BrokerInterface
import BrokerStore
import Catalogue
import Delivery
import EventLoop
import Limits
import Monitor
import PhotoModel
import PluginCatalogue
import UnixSocket
import Varlink

/// Everything that lives on the event loop's thread: the core, the connections, and each library's
/// runtime.
final class ServiceCore {
  let loop: EventLoop
  let broker: Broker
  let store: any Store
  let environment: any Environment
  let configuration: Configuration
  let log: Log
  let notices: RepeatedNotices
  let factory: any RuntimeFactory
  private(set) lazy var plugins = PluginService(catalogue, core: self)
  private let catalogue: PluginCatalogue
  let uid: UInt32
  /// Copies the durable state, with notes of the files beside it. The completion runs on the loop's
  /// thread.
  let backUp: ([BackupNote], @escaping @Sendable (Result<BackupFile, StoreFailure>) -> Void) -> Void
  var open = SubscriptionTable()
  private(set) lazy var tokenEnds = TokenEnds(core: self)
  var pages = PageDoors()
  /// The copies that apps still hold open.
  var handedCopies = HandedCopies()
  /// The quota of uploaded bytes in unfinished change requests.
  let comingBytes = ComingBytes()
  let shares = LibraryShares()
  private(set) var runtimes: [LibraryName: LibraryRuntime] = [:]
  private var connections: [ObjectIdentifier: Connection] = [:]
  private var sessions: [ObjectIdentifier: Connection] = [:]
  private var processes = ProcessTable()
  private var uses: UInt64 = 0
  /// Connections with something to read, to send or to begin.
  let turns = Turns<Connection>()
  let longMessages: LongMessages
  let tasks = IncrementalTasks()
  let entrance: Entrance
  /// Whether a timer for the next admission of a connection runs.
  private var hasOpening = false
  private var administration: [UInt32: Int] = [:]
  let disclosures: Disclosures
  var uploads = UploadQuota()
  private(set) lazy var promptWatchers = PromptWatchers { [tasks] in tasks.add($0) }
  /// Closes descriptors that apps and owners sent. Closing can block in a foreign file system.
  let closer = DescriptorCloser(limit: OpenFiles.descriptorsSent.byKnown)
  /// Reads from descriptors that apps and owners sent.
  let readers = ForeignThreads()
  /// Closes and reads descriptors of users without a library, so that these delay nobody else's.
  private let strangersCloser = DescriptorCloser(
    limit: OpenFiles.descriptorsSent.byStrangers, limitPerUser: ServiceLimits.strangersDescriptorsPerUser,
    threadLimit: 16)
  private let strangersReaders = ForeignThreads(limit: 32, limitPerUser: 8)
  /// Writes and erases credentials, one after the other.
  let credentialWorker = try? Worker(name: "credentials")
  /// Receive buffer that all connections share.
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  init(
    loop: EventLoop, broker: Broker, store: any Store, environment: any Environment, configuration: Configuration,
    log: Log,
    factory: any RuntimeFactory, catalogue: PluginCatalogue, uid: UInt32,
    backUp: @escaping ([BackupNote], @escaping @Sendable (Result<BackupFile, StoreFailure>) -> Void) -> Void
  ) throws(EventLoopError) {
    longMessages = try LongMessages(on: loop)
    self.loop = loop
    self.broker = broker
    self.store = store
    self.environment = environment
    disclosures = Disclosures(store: store, environment: environment)
    self.configuration = configuration
    self.log = log
    notices = RepeatedNotices {
      log.notice($0)
    } schedule: { [unowned loop] in
      loop.schedule(after: $0, $1)
    }
    entrance = Entrance(closer: closer) { loop.perform {} }
    self.factory = factory
    self.catalogue = catalogue
    self.uid = uid
    self.backUp = backUp
    broker.delegate = self
    broker.bounds = LibraryBounds(configuration, own: uid)
    let names = Set(broker.libraries.keys.map(\.description))
    eraseOrphanedFiles(keeping: names)
    loop.onTurnsEnd { [unowned self] in
      turns.run(for: Self.turnsSlice) { $0.takeTurn() }
      tasks.runNext()
      let isOpen = letIn()
      // Checked last, because each of the steps can add work to another one.
      return !turns.isEmpty || !tasks.isEmpty || isOpen
    }
    for library in broker.libraries.values { start(library) }
  }

  // MARK: Libraries

  /// A call can arrive after its library's runtime was removed. Its new runtime refuses everything.
  func runtime(_ library: LibraryState) -> LibraryRuntime {
    runtimes[library.record.name] ?? LibraryRuntime(library: library, core: self)
  }

  @discardableResult
  func start(_ library: LibraryState) -> LibraryRuntime {
    let runtime = LibraryRuntime(library: library, core: self)
    runtimes[library.record.name] = runtime
    runtime.policies.compileAlbums()
    runtime.scanner.start()
    runtime.views.noteSoon()
    return runtime
  }

  func table(of connection: Connection) -> MethodTable {
    switch connection.role {
    case .app: LibraryMethods.table
    case .administration: configuration.sandbox == nil ? AdminMethods.table : AdminMethods.sandboxTable
    }
  }

  /// Asks every grant's policy about new or changed albums, then runs `completion`. Changes of
  /// members alone need no call.
  func albumsChanged(in library: LibraryState, _ albums: Set<AlbumIdentifier>, _ completion: @escaping () -> Void) {
    guard let runtime = runtimes[library.record.name], !albums.isEmpty else { return completion() }
    runtime.policies.compileAlbums(for: broker.grants(in: library.record.name), about: .albums(albums), completion)
  }

  /// Writes catalogues that no longer change, for the next start. Called once a second.
  func keepCatalogues() {
    for runtime in runtimes.values { runtime.keeper.keepAtRest() }
  }

  /// Reduces old and long change logs to the part that each app saw. Called once a second.
  func trimChangeLogs() {
    broker.trimChangeLogs()
  }

  func cataloguesToKeep() -> [(library: LibraryState, catalogue: Catalogue, at: Int)] {
    runtimes.values.compactMap { runtime in
      runtime.keeper.catalogueToKeep().map { (runtime.library, $0.catalogue, $0.at) }
    }
  }

  /// Asks every grant's policy about an app's change. Its own policy is asked first, and
  /// `completion` runs as soon as that one answered.
  func albumsChanged(
    in library: LibraryState, _ albums: Set<AlbumIdentifier>, by grant: GrantState, _ completion: @escaping () -> Void
  ) {
    guard let runtime = runtimes[library.record.name], !albums.isEmpty else { return completion() }
    runtime.policies.compileAlbums(
      .albums(albums), first: grant, others: { broker.others(than: grant) }, completion)
  }

  func forgetLibrary(_ name: LibraryName) {
    stopLibrary(name)
    forgetFiles(of: name)
  }

  func stopLibrary(_ name: LibraryName) {
    runtimes.removeValue(forKey: name)?.stop()
  }

  /// Opens a library's storage anew and starts its plugins with their present options. Its assets
  /// stay known.
  /// - Parameter credentials: Names of the secrets that it has now; nil: as before.
  func restart(_ library: LibraryState, credentials: [String]? = nil, _ completion: @escaping () -> Void) {
    let known = credentials ?? runtimes[library.record.name]?.opened.credentials ?? []
    stopLibrary(library.record.name)
    let runtime = start(library)
    runtime.opened.credentials = known
    runtime.policies.compileAlbums(for: broker.grants(in: library.record.name), completion)
  }

  // MARK: Connections

  /// Begins to serve pending connections, for `entrySlice` at most.
  /// - Returns: Whether more are pending. If they may not begin yet, a timer starts the turn in
  ///   which they may.
  private func letIn() -> Bool {
    let look = entrance.look()
    for (uid, count) in look.turnedAway {
      notices.note(
        "a connection was closed, because too many of its user wait to be let in", of: .user(uid), count: count)
    }
    guard look.opening != nil else { return false }
    var now = MonotonicTime.now
    let end = now.advanced(by: Self.entrySlice)
    while now < end, let (socket, door) = entrance.next(at: now) {
      if socket.isLeft {
        entrance.close(socket)
      } else {
        entrance.countEntry(of: socket, through: door, at: now)
        admit(socket, through: door)
        let lane = Turns<Connection>.Lane(user: socket.credentials.uid, decides: door == .administration)
        turns.charge(MonotonicTime.now.nanoseconds - now.nanoseconds, to: lane)
      }
      now = .now
    }
    guard let opening = entrance.look().opening else { return false }
    if opening > now, !hasOpening {
      hasOpening = true
      loop.schedule(at: opening) { [unowned self] in hasOpening = false }
    }
    return opening <= now
  }

  private func admit(_ accepted: AcceptedSocket, through door: Reception.Door) {
    let uid = accepted.credentials.uid
    let socket: SocketConnection
    do { socket = try accepted.identified() } catch {
      if !error.concernsOnePeer {
        notices.note("a connection could not be let in", of: .user(uid), ["reason": "\(error)"])
      }
      return entrance.close(accepted)
    }
    let peer = socket.peer
    let isStranger = if case .administration = door { !owners.contains(peer.uid) } else { false }
    let closer = isStranger ? strangersCloser : closer
    socket.closesElsewhere = { closer.close(socket: $0, of: peer.uid) }
    forgetIfEnded(peer.processKey)
    let role: Connection.Role
    switch door {
    case .apps:
      guard mayConnect(peer) else {
        return notices.note("a connection over the limits was closed", of: .user(peer.uid))
      }
      role = .app(broker.open(VerifiedIdentity(peer)))
    case .administration:
      guard mayAdminister(peer.uid) else {
        return notices.note("a connection to the owners' socket over the limits was closed", of: .user(peer.uid))
      }
      administration[peer.uid, default: 0] += 1
      let origin = peer.executable ?? peer.claimedName() ?? "a program that cannot be read"
      role = .administration(broker.openAdministration(uid: peer.uid, origin: origin))
    }
    let connection = Connection(
      socket, role: role, closer: closer, readers: isStranger ? strangersReaders : readers, core: self)
    // Credentials and plugins come as descriptors.
    if case .administration = door { connection.allowDescriptors() }
    do {
      try socket.setSendBuffer(bytes: ServiceLimits.sendBufferBytes)
      try connection.start()
      if case .app(let session) = role {
        sessions[ObjectIdentifier(session)] = connection
        try watchProcess(of: connection)
      }
      connections[ObjectIdentifier(connection)] = connection
    } catch {
      log.error("a connection could not be served", ["reason": "\(error)"])
      connection.close()
    }
  }

  /// Whether a process may have one more connection to the apps' socket. If all places are taken,
  /// another user's connection may be closed for it.
  private func mayConnect(_ peer: PeerIdentity) -> Bool {
    guard processes.mayAdd(peer) else { return false }
    if case .none = processes.connection(for: peer.uid) { return false }
    switch processes.process(for: peer) {
    case .free: break
    case .none: return false
    case .of(let users):
      guard let ended = processes.leastUsed(of: users) else { return false }
      processEnded(ended)
    }
    return makeRoom(processes.connection(for: peer.uid)) { if case .app = $0.role { true } else { false } }
  }

  /// Users who have something to revoke.
  private var owners: Set<UInt32> { broker.administrators.union(broker.libraries.values.flatMap(\.owners)).union([0]) }

  /// Whether a user may have one more connection to the owners' socket. Anybody can connect there
  /// to make a library, but must not keep an owner from revoking.
  private func mayAdminister(_ uid: UInt32) -> Bool {
    guard administration[uid, default: 0] < ServiceLimits.administrationConnectionsPerUser else { return false }
    // Root always gets a place, so that it can revoke whatever others hold.
    if uid == 0 { return true }
    let all = FairShare(held: administration, limit: ServiceLimits.administrationConnections).place(for: uid, exempt: 0)
    let owners = owners
    func isAdministration(_ connection: Connection) -> Bool {
      if case .administration = connection.role { true } else { false }
    }
    if owners.contains(uid) { return makeRoom(all, among: isAdministration) }
    // Strangers share a part of the places; owners always keep theirs.
    let strangers = administration.filter { !owners.contains($0.key) }
    let place = FairShare(held: strangers, limit: ServiceLimits.strangersAdministrationConnections).place(for: uid)
    if place == .free, all != .free { return false }
    return makeRoom(place, among: isAdministration)
  }

  /// Takes a place. If none is free, closes an idle connection of the given users, or else the
  /// least recently used one.
  private func makeRoom(_ place: FairShare<UInt32>.Place, among isMeant: (Connection) -> Bool) -> Bool {
    switch place {
    case .free: return true
    case .none: return false
    case .of(let users):
      let theirs = connections.values.filter { users.contains($0.socket.peer.uid) && isMeant($0) }
      guard let ended = theirs.min(by: { ($0.isIdle ? 0 : 1, $0.lastUse) < ($1.isIdle ? 0 : 1, $1.lastUse) }) else {
        return false
      }
      notices.note(
        "a connection gave way to another user's, since all places were taken", of: .user(ended.socket.peer.uid))
      ended.close()
      return true
    }
  }

  /// Time budget for connections' turns in one turn of the loop.
  private static let turnsSlice = Duration.microseconds(200)
  /// Time budget for beginning pending connections in one turn of the loop; each takes some tens of
  /// microseconds.
  private static let entrySlice = Duration.microseconds(100)

  func runDue() -> Duration? {
    tokenEnds.look()
    return broker.runDue()
  }

  /// Increases with each call, so that the least recently used connection is known.
  func nextUse() -> UInt64 {
    uses += 1
    return uses
  }

  /// The kernel can reuse a process number before the end of its former process was noticed. The
  /// new process must not inherit the former one's connections.
  private func forgetIfEnded(_ key: Int64) {
    if processes.hasEnded(key) { processEnded(key) }
  }

  /// A connection ends with the process that made it, even if the socket was passed to another one.
  private func watchProcess(of connection: Connection) throws(EventLoopError) {
    let key = connection.socket.peer.processKey
    guard processes.add(connection.socket.peer) else { return }
    let descriptor = connection.socket.peer.process
    let source = try loop.register(descriptor.number, for: .read) { [unowned self] _ in
      guard descriptor.hasExited else { return }
      processEnded(key)
    }
    processes.watch(key, descriptor, source)
  }

  private func processEnded(_ key: Int64) {
    if let source = processes.remove(key) { loop.deregister(source) }
    for connection in connections.values where connection.socket.peer.processKey == key {
      if case .app = connection.role { connection.processEnded() }
    }
    broker.processEnded(key)
  }

  func didClose(_ connection: Connection) {
    connections[ObjectIdentifier(connection)] = nil
    tokenEnds.forget(connection)
    promptWatchers.remove(connection)
    pages.closed(ObjectIdentifier(connection))
    uploads.release(connection.uploads.total, of: connection.socket.peer.uid)
    switch connection.role {
    case .app(let session):
      session.close()
      // A connection that failed before it was counted must not be subtracted.
      if sessions.removeValue(forKey: ObjectIdentifier(session)) != nil {
        processes.closed(connection.socket.peer, hasOutlivedProcess: session.hasOutlivedProcess)
      }
    case .administration:
      let uid = connection.socket.peer.uid
      let left = administration[uid, default: 0] - 1
      administration[uid] = left > 0 ? left : nil
    }
  }

  func receive(
    on connection: Connection, descriptors: inout OwnedDescriptors, into conversation: inout ServerConversation
  ) throws -> SocketConnection.Received {
    let received = try buffer.withUnsafeMutableBytes { bytes in
      defer { noteCame(descriptors.count, on: connection) }
      return try connection.socket.receive(
        into: bytes, descriptors: &descriptors, hasRoom: connection.hasRoomForDescriptors)
    }
    if case .bytes(let count) = received {
      try buffer.withUnsafeBytes { bytes in try conversation.receive(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
    }
    return received
  }

  /// If a user has no room left for descriptors, none of their connections accepts more.
  private func noteCame(_ count: Int, on connection: Connection) {
    guard count > 0 else { return }
    let uid = connection.socket.peer.uid
    connection.closer.took(count, from: uid)
    guard !connection.closer.mayTake(from: uid) else { return }
    for other in connections.values where other.socket.peer.uid == uid { other.mindDescriptors() }
  }

  func later(_ action: @escaping () -> Void) { loop.schedule(after: .zero, action) }

  func closeAll() {
    entrance.closeAll()
    for connection in Array(connections.values) { connection.close() }
    notices.flush()
    inFlight.closeAll()
    for name in Array(runtimes.keys) { stopLibrary(name) }
    plugins.stop()
  }

  // MARK: Held bytes

  private var held = HeldBytes()

  /// Counts bytes held for a connection. If a user's connections together hold too many, the one
  /// that holds most is closed: a client that reads its answers has little there.
  func hold(_ change: Int, for connection: Connection) {
    let uid = connection.socket.peer.uid
    guard let user = held.count(change, of: uid) else { return }
    let largest =
      connections.values.lazy.filter { $0.socket.peer.uid == user }.max { $0.heldBytes < $1.heldBytes } ?? connection
    notices.note("a connection was closed, because its user's connections hold too many bytes", of: .user(user))
    largest.close()
  }

  func release(_ count: Int, of connection: Connection) { _ = held.count(-count, of: connection.socket.peer.uid) }

  // MARK: Descriptors in flight

  private var inFlight = DescriptorsInFlight()
  private var isSweeping = false
  private var lastLook: MonotonicTime?

  /// Whether so many more descriptors may be in flight to a connection's user. Before it refuses,
  /// it checks which ones the readers have taken.
  func mayAddInFlight(_ count: Int, for connection: Connection) -> Bool {
    let uid = connection.socket.peer.uid
    if inFlight.mayAdd(count, of: uid) { return true }
    // All connections are checked at most a hundred times a second, however many ask.
    let now = MonotonicTime.now
    guard lastLook.map({ $0.advanced(by: .milliseconds(10)) < now }) ?? true else { return false }
    lastLook = now
    _ = inFlight.sweep()
    for other in connections.values where other.inFlight > 0 { other.noteTaken() }
    return inFlight.mayAdd(count, of: uid)
  }

  /// Whether other users cause the lack of room for so many more descriptors.
  func isWithinShare(_ count: Int, of connection: Connection) -> Bool {
    inFlight.isWithinShare(count, of: connection.socket.peer.uid)
  }

  func addInFlight(_ count: Int, for connection: Connection) { inFlight.add(count, of: connection.socket.peer.uid) }

  /// Keeps a closed connection's socket until its reader has let go of the descriptors in it.
  func keep(_ socket: SocketConnection, inFlight count: Int) {
    inFlight.keep(socket, count: count)
    if !isSweeping { sweepSoon() }
  }

  private func sweepSoon() {
    isSweeping = true
    loop.schedule(after: .milliseconds(200)) { [self] in
      isSweeping = false
      if inFlight.sweep() { sweepSoon() }
    }
  }

  // MARK: Observers and streams

  /// Ends the subscriptions and queued replies that an expired token allowed.
  func tokenEnded(on connection: Connection) {
    if let subscription = open[connection], !broker.mayRelease(subscription.permit), !subscription.survives() {
      subscription.revoke()
    }
    _ = connection.withdraw { !broker.mayRelease($0) }
  }

  // MARK: Prompts

  /// Calls `tell` again whenever the user's pending prompts have changed, until the connection
  /// closes.
  func watchPrompts(_ call: IncomingCall, owner: UInt32, _ tell: @escaping () throws(CallFailure) -> Void) {
    // The first answer may have found the connection closed.
    guard !call.isClosed else { return }
    let connection = call.connection
    promptWatchers.add(connection, owner: owner) { [unowned self] in
      guard !call.isAnswered else { return }
      if connection.outbox.isEmpty { return call.attempt(tell) }
      // A slow reader is told the newest state after it has read, in its turn. The connection owns
      // this closure.
      connection.whenDrained { [unowned self, unowned connection] in promptWatchers.tellAgain(connection) }
    }
  }
}

extension ServiceCore: BrokerDelegate {
  /// A narrowed grant withdraws its queued replies and open streams at once.
  func grantNarrowed(_ grant: GrantState) -> NarrowingEffect {
    var effect = NarrowingEffect()
    let isStale: (Permit) -> Bool = { [broker] in $0.grant === grant && !broker.mayRelease($0) }
    for subscription in open.all(where: isStale) where !subscription.survives() {
      subscription.revoke()
      if subscription is StreamSession { effect.streams += 1 }
    }
    for connection in Array(connections.values) {
      guard case .app(let session) = connection.role, session.isUsing(grant) else { continue }
      effect.connections += 1
      effect.dropped += connection.withdraw(where: isStale) ?? 1
    }
    later { [self] in
      let key = grant.record.key
      guard let runtime = runtimes[key.library] else { return }
      if broker.hands(key) {
        runtime.bytes.forgetUnseenCopies(of: key.app)
      } else {
        runtime.bytes.forgetCopies(of: key.app)
      }
    }
    return effect
  }

  func contentNarrowed(in library: LibraryName) { runtimes[library]?.bytes.forgetAppCopies() }

  func albumAccessNeeded(_ grant: GrantState) { runtimes[grant.record.key.library]?.policies.compileAlbums(for: grant) }

  func promptsChanged(owners: Set<UInt32>) {
    promptWatchers.changed(owners)
  }

  func select(_ selectors: [RuleSelector], in library: LibraryState, completion: @escaping (Selection?) -> Void) {
    SelectorResolver.resolve([(library, selectors.map { RuleForm.shown($0) })], core: self) {
      completion(try? $0.get().first)
    }
  }

  func closeSession(_ session: Session) { sessions[ObjectIdentifier(session)]?.close() }

  func filesReleased(in library: LibraryName) { runtimes[library]?.scanner.rescan() }

  func logGrew(in library: LibraryName) { runtimes[library]?.views.noteSoon() }

  func inPieces(_ piece: @escaping () -> Bool) { tasks.run(piece) }
}

extension VerifiedIdentity {
  init(_ peer: PeerIdentity) {
    // A process of the same user can forge such an identity. It is shown to people, and never
    // restores an app's grants.
    let vouched = peer.vouched.flatMap { $0.isForgeableBySameUser ? nil : "\($0.kind.rawValue):\($0.name)" }
    self.init(
      uid: peer.uid, processID: peer.processKey,
      processIdentity: peer.process.isBoundToSocket ? peer.process.identity : nil,
      systemIdentity: vouched, executable: peer.executable, isInterpreter: peer.isInterpreter)
  }
}
