import Broker
import Delivery
import EventLoop
import Limits
import Monitor
import UnixSocket
import Varlink

/// The connections of apps and owners: which ones may begin, which one gives way to another, and
/// what they hold together.
final class ConnectionTable {
  let entrance: Entrance
  /// Connections with something to read, to send or to begin.
  let turns = Turns<Connection>()
  let longMessages: LongMessages
  private let loop: EventLoop
  private let broker: Broker
  private let log: Log
  private let notices: RepeatedNotices
  private var connections: [ObjectIdentifier: Connection] = [:]
  private var sessions: [ObjectIdentifier: Connection] = [:]
  private var processes = ProcessTable()
  private var uses: UInt64 = 0
  /// Whether a timer for the next admission of a connection runs.
  private var hasOpening = false
  private var administration: [UInt32: Int] = [:]
  private let threads = DescriptorThreads(
    closer: DescriptorCloser(limit: OpenFiles.descriptorsSent.byKnown), readers: ForeignThreads())
  /// Threads for users without a library, whose descriptors then delay nobody else's.
  private let strangersThreads = DescriptorThreads(
    closer: DescriptorCloser(
      limit: OpenFiles.descriptorsSent.byStrangers, limitPerUser: ServiceLimits.strangersDescriptorsPerUser,
      threadLimit: 16),
    readers: ForeignThreads(limit: 32, limitPerUser: 8))
  /// Receive buffer that all connections share.
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  init(on loop: EventLoop, broker: Broker, log: Log, notices: RepeatedNotices) throws(EventLoopError) {
    longMessages = try LongMessages(on: loop)
    self.loop = loop
    self.broker = broker
    self.log = log
    self.notices = notices
    entrance = Entrance(closer: threads.closer) { loop.perform {} }
  }

  /// Begins to serve pending connections, for `entrySlice` at most.
  /// - Returns: Whether more are pending. If they may not begin yet, a timer starts the turn in
  ///   which they may.
  func beginPending(for core: ServiceCore) -> Bool {
    let look = entrance.look()
    for (uid, count) in look.turnedAway {
      notices.note(
        "a connection was closed, because too many connections of its user are pending", of: .user(uid), count: count)
    }
    guard look.opening != nil else { return false }
    var now = MonotonicTime.now
    let end = now.advanced(by: Self.entrySlice)
    while now < end, let (socket, endpoint) = entrance.next(at: now) {
      if socket.isLeft {
        entrance.close(socket)
      } else {
        entrance.countEntry(of: socket, through: endpoint, at: now)
        begin(socket, through: endpoint, core)
        let lane = Turns<Connection>.Lane(user: socket.credentials.uid, decides: endpoint == .administration)
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

  private func begin(_ accepted: AcceptedSocket, through endpoint: Acceptor.Endpoint, _ core: ServiceCore) {
    let uid = accepted.credentials.uid
    let socket: SocketConnection
    do { socket = try accepted.identified() } catch {
      if !error.concernsOnePeer {
        notices.note("a connection could not be accepted", of: .user(uid), ["reason": "\(error)"])
      }
      return entrance.close(accepted)
    }
    let peer = socket.peer
    let isStranger = if case .administration = endpoint { !owners.contains(peer.uid) } else { false }
    let threads = isStranger ? strangersThreads : threads
    socket.closesElsewhere = { threads.closer.close(socket: $0, of: peer.uid) }
    forgetIfEnded(peer.processKey)
    let role: Connection.Role
    switch endpoint {
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
      let origin = peer.executable ?? peer.claimedName() ?? "an unreadable program"
      role = .administration(broker.openAdministration(uid: peer.uid, origin: origin))
    }
    let connection = Connection(socket, role: role, threads: threads, core: core)
    // Credentials and plugins come as descriptors.
    if case .administration = endpoint { connection.allowDescriptors() }
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
  private var owners: Set<UInt32> {
    broker.administrators.all.union(broker.libraries.values.flatMap(\.owners)).union([0])
  }

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
        "a connection was closed to make room for another user's", of: .user(ended.socket.peer.uid))
      ended.close()
      return true
    }
  }

  /// Time budget for beginning pending connections in one turn of the loop; each takes some tens of
  /// microseconds.
  private static let entrySlice = Duration.microseconds(100)

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

  func remove(_ connection: Connection) {
    connections[ObjectIdentifier(connection)] = nil
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

  func closeAll() {
    entrance.closeAll()
    for connection in Array(connections.values) { connection.close() }
    inFlight.closeAll()
  }

  subscript(session: Session) -> Connection? { sessions[ObjectIdentifier(session)] }

  /// The apps' connections whose session uses a grant.
  func using(_ grant: GrantState) -> [Connection] {
    connections.values.filter { if case .app(let session) = $0.role { session.isUsing(grant) } else { false } }
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
    connection.threads.closer.took(count, from: uid)
    guard !connection.threads.closer.mayTake(from: uid) else { return }
    for other in connections.values where other.socket.peer.uid == uid { other.mindDescriptors() }
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
    for other in connections.values where other.inFlight.count > 0 { other.noteTaken() }
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
}
