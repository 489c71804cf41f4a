import Broker
import EventLoop
import Limits
import Monitor
import UnixSocket
import Varlink

/// One client's connection: bytes in, calls to the method table, replies out. Used on the loop's
/// thread.
final class Connection {
  let socket: SocketConnection
  let role: Role
  unowned let core: ServiceCore
  private var input = CallInput()
  private(set) var outbox = Outbox()
  private var writer = JSONWriter(capacity: 2_048)
  private var watch = SocketWatch()
  private(set) var isClosed = false
  var uploads = Uploads()
  var piecesRead = PiecesRead()
  private var closesWhenSent = false
  private var isWaiting = false
  /// Whether the first call did not arrive in time.
  private var isOverdue = false
  /// Whether the process that made it has ended.
  private var hasLostProcess = false
  /// Whether the client has shut down its sending side. It may still read, so its calls are
  /// answered before the connection closes.
  private var hasEnded = false
  /// Whether the client has disconnected. Calls that already arrived are begun before the
  /// connection closes.
  private(set) var isLeft = false
  /// Timer that closes the connection after the client has left, even during a call.
  private var settling: TimerID?
  /// Number of its last use, as ``ServiceCore/nextUse()`` counts.
  private(set) var lastUse: UInt64
  /// Called once, when the connection closes: streams and observers end with it.
  private var closeHandlers = CloseHandlers()
  private(set) var inFlight = DescriptorsInSocket()
  /// The part of ``heldBytes`` that was counted.
  private var countedBytes = 0
  /// Called when the outbox is empty.
  private var drained: (() -> Void)?

  enum Role {
    case app(Session)
    case administration(AdminSession)
  }

  let threads: DescriptorThreads

  init(_ socket: SocketConnection, role: Role, threads: DescriptorThreads, core: ServiceCore) {
    self.socket = socket
    self.role = role
    self.threads = threads
    self.core = core
    lastUse = core.connections.nextUse()
  }

  func start() throws(EventLoopError) {
    // The loop keeps the connection until it is closed. A weak reference would make every reference
    // count slower.
    try watch.begin(socket.number, on: core.loop) { [self] in isReady($0) }
    silence = core.loop.schedule(after: ServiceLimits.firstCallDeadline) { [self] in
      isOverdue = true
      awaitTurn()
    }
  }

  // MARK: In

  /// Timeout of a connection without a first call.
  private var silence: TimerID?

  private func endSilence() {
    if let timer = silence.take() { core.loop.cancel(timer) }
  }

  /// Notes the socket's readiness and queues the connection for its turn, fairly between users.
  private func isReady(_ readiness: Readiness) {
    watch.readiness.formUnion(readiness)
    if readiness.contains(.hungUp) {
      // Otherwise the loop would report the hang-up again and again.
      watch.end(on: core.loop)
    } else if isWaiting {
      // Already queued, so nothing more needs to be reported before its turn.
      setInterest([])
    }
    awaitTurn()
  }

  private func awaitTurn() {
    guard !isWaiting, !isClosed else { return }
    isWaiting = true
    core.connections.turns.add(self, in: lane)
  }

  private var lane: Turns<Connection>.Lane {
    if case .administration = role {
      .init(user: socket.peer.uid, decides: true)
    } else {
      .init(user: socket.peer.uid, decides: false)
    }
  }

  /// Sends, reads and begins a call, each at most once.
  func takeTurn() {
    isWaiting = false
    let ready = watch.readiness
    watch.readiness.formIntersection(.hungUp)
    if hasLostProcess, !input.isDecoding {
      if !hasEnded { receive() }
      leave()
    } else if ready.contains(.hungUp), hasEnded {
      leave()
    } else if ready.contains(.hungUp), !input.hasRoomAhead {
      leaveUnread()
    } else {
      if ready.contains(.writable) { flush() }
      if ready.isWorthReading { receive() }
    }
    if hasCall { beginCall() }
    if isOverdue, silence != nil { close() }
    if hasCall || watch.readiness.contains(.hungUp) && !isLeft && !input.isDecoding { awaitTurn() }
    closeIfDone()
    updateInterest()
  }

  /// The process that made the connection has ended. Its calls are still begun, since a `oneway`
  /// caller may leave at once. Bytes from another process, to which it passed the socket, are not
  /// read.
  func processEnded() {
    if case .app(let session) = role { session.outliveProcess() }
    hasLostProcess = true
    awaitTurn()
  }

  /// The client sends no more. It may still read: its calls are answered, and its streams run until
  /// it disconnects. The loop reports the disconnection.
  private func end() {
    hasEnded = true
    closeIfDone()
  }

  /// The client has disconnected. Closes after the calls that already arrived were carried out.
  private func leave() {
    guard !isLeft, !isClosed else { return }
    hasEnded = true
    isLeft = true
    // Otherwise the loop would report it again and again.
    watch.end(on: core.loop)
    outbox = Outbox()
    drained = nil
    guard hasCall || !closesWhenSent && isSettling else { return close() }
    // A call may wait for a person.
    settling = core.loop.schedule(after: ServiceLimits.settlingDeadline) { [weak self] in self?.close() }
  }

  /// Closes as ``leave()`` does, without reading calls whose descriptors have no room. Otherwise
  /// the loop would report the disconnection again and again.
  private func leaveUnread() {
    core.notices.note(
      "a connection was closed by its app while calls waited for room for their descriptors; unread calls are dropped",
      of: .user(socket.peer.uid))
    leave()
  }

  /// Closes a connection that receives no more, after its last reply, or if its client has
  /// disconnected and no call needs to be completed.
  private func closeIfDone() {
    guard hasEnded, !isClosed, !hasCall else { return }
    if isLeft ? !isSettling : isIdle && input.conversation.pendingCalls == 0 && outbox.isEmpty { close() }
  }

  /// Whether a call of a disconnected client is completed: a `oneway` call, or one with complete
  /// calls behind it. Streams and observers are not.
  private var isSettling: Bool {
    if input.isDecoding { return true }
    guard let call = input.conversation.current, !call.more else { return false }
    return call.oneway || input.conversation.pendingCalls > 0
  }

  /// A call was answered after the turn that began it.
  func answeredLater() {
    if hasCall { awaitTurn() } else { closeIfDone() }
  }

  private func receive() {
    guard !isClosed, !hasEnded, !input.isDecoding else { return }
    guard !closesWhenSent else { return discard() }
    guard input.hasRoomAhead else { return }
    var came = OwnedDescriptors()
    defer { threads.closer.close(came.takeAll(), of: socket.peer.uid) }
    do {
      let known = input.arrived
      let received = try core.connections.receive(on: self, descriptors: &came, into: &input.conversation)
      mindDescriptors()
      switch received {
      case .bytes: try input.append(came.takeAll(), after: known)
      case .wouldBlock: break
      case .closed: end()
      case .descriptorsRefused:
        if passesRights != nil {
          core.notices.note(
            "a connection was closed, because its user has sent too many descriptors", of: .user(socket.peer.uid))
        }
        close()
      }
    } catch {
      core.notices.note(
        "a connection broke the rules of the wire and was closed", of: .user(socket.peer.uid), ["reason": "\(error)"])
      // If calls wait before it, the client would take an error for their reply.
      if let error = error as? VarlinkError, input.conversation.pendingCalls == 0 { refuse(error) } else { close() }
    }
  }

  /// Reads and drops bytes of a connection that closes after its last reply.
  private func discard() {
    var unread = ServerConversation()
    var came = OwnedDescriptors()
    defer { threads.closer.close(came.takeAll(), of: socket.peer.uid) }
    switch try? core.connections.receive(on: self, descriptors: &came, into: &unread) {
    case .bytes, .wouldBlock: break
    case .closed: end()
    case .descriptorsRefused, nil: close()
    }
  }

  /// Whether a call can be begun: it has arrived, and the previous one has its last reply.
  private var hasCall: Bool { !isClosed && !closesWhenSent && !outbox.isFull && input.hasNext }

  private func beginCall() {
    endSilence()
    do {
      if input.needsWorker() {
        core.connections.longMessages.add(self, in: lane)
      } else if let (call, parameters) = try input.next() {
        lastUse = core.connections.nextUse()
        core.table(of: self).serve(IncomingCall(call, on: self, decoded: parameters))
      }
    } catch {
      core.notices.note(
        "a message was no call and its connection was closed", of: .user(socket.peer.uid), ["reason": "\(error)"])
      refuse(error)
    }
  }

  /// Hands the conversation to a worker that decodes its next call. Nothing is read meanwhile.
  func lendConversation() -> ServerConversation { input.lend() }

  func take(_ decoded: LongMessages.Decoded) {
    guard !isClosed else { return }
    input.take(decoded)
    awaitTurn()
  }

  /// Answers a message that is no call with its error, and closes. Only closes if the previous call
  /// is still unanswered.
  private func refuse(_ error: VarlinkError) {
    guard !isClosed, isIdle else { return close() }
    InterfaceErrors.write(error, for: role, to: &writer)
    release(permit: nil, descriptors: nil)
    closeWhenSent()
  }

  func takeDescriptor() -> HandedDescriptor? {
    guard let descriptor = input.takeDescriptor() else { return nil }
    return HandedDescriptor(descriptor, of: socket.peer.uid, closer: threads.closer)
  }

  func dropDescriptors() { threads.closer.close(input.dropDescriptors(), of: socket.peer.uid) }

  /// Whether the socket accepts descriptors now; nil if they were never allowed here.
  private var passesRights: Bool?

  /// Accepts descriptors if the client may send any: an app that may add, and everybody at the
  /// owners' socket, because every user may add a library with its credentials.
  func allowDescriptors() {
    if passesRights == nil, mayHandOver { passesRights = false }
    mindDescriptors()
  }

  /// Whether there is room for more descriptors, if they were ever allowed.
  var hasRoomForDescriptors: Bool { passesRights == nil || threads.closer.mayTake(from: socket.peer.uid) }

  private var mayHandOver: Bool { if case .app(let session) = role { session.mayAdd } else { true } }

  /// Checked again after every read, because grants change and other connections of the user share
  /// the room.
  func mindDescriptors() {
    guard let passesRights else { return }
    let allowed = mayHandOver && threads.closer.mayTake(from: socket.peer.uid)
    guard allowed != passesRights else { return }
    self.passesRights = allowed
    socket.setPassRights(allowed)
  }

  // MARK: Out

  /// Sends a reply; every reply leaves through here. A reply with a permit leaves only while that
  /// permit holds. It is checked at the last moment, and again whenever the socket could not take
  /// all bytes at once.
  /// - Returns: False if the call got a refusal as its last reply instead.
  func send(
    under permit: Permit?, continues: Bool, descriptors: SharedDescriptors? = nil, _ body: (inout JSONWriter) -> Void
  ) -> Bool {
    guard !isClosed else { return true }
    if let permit, !core.broker.mayRelease(permit) {
      fail(permit.refusal)
      return false
    }
    let start = writer.count
    do { try input.conversation.reply(continues: continues, to: &writer, body) } catch {
      core.log.error("a reply did not fit its call", ["reason": "\(error)"])
      close()
      return true
    }
    if writer.count > start { release(permit: permit, descriptors: descriptors, continues: continues) }
    return true
  }

  func fail(_ error: some MethodError) {
    guard !isClosed else { return }
    do { try input.conversation.fail(error, to: &writer) } catch { return close() }
    if writer.count > 0 { release(permit: nil, descriptors: nil) }
  }

  func fail(_ error: BrokerError) { InterfaceErrors.fail(self, error) }

  /// Whether no call is running or being decoded.
  var isIdle: Bool { input.isIdle }

  private func release(permit: Permit?, descriptors: SharedDescriptors?, continues: Bool = false) {
    defer {
      writer.removeAll()
      writer.shrink()
    }
    if outbox.isEmpty {
      let count = writer.count
      let taken = writer.withUnsafeBytes { bytes in offer(bytes, descriptors) }
      guard let taken else { return }
      if taken == count { return }
      outbox.append(
        .init(
          bytes: writer.bytes, sent: taken, descriptors: taken == 0 ? descriptors : nil, permit: permit,
          continues: continues))
    } else {
      outbox.append(.init(bytes: writer.bytes, descriptors: descriptors, permit: permit, continues: continues))
    }
    updateInterest()
  }

  /// Offers bytes to the socket; nil if the connection was closed by that.
  private func offer(_ bytes: UnsafeRawBufferPointer, _ descriptors: SharedDescriptors?) -> Int? {
    let sent = descriptors?.contents.count ?? 0
    guard sent == 0 || hasRoomInFlight(for: sent) else { return stall(before: sent) }
    do {
      let span = bytes.assumingMemoryBound(to: UInt8.self).span
      let result =
        if let descriptors { try socket.send(span, descriptors: descriptors.contents) } else { try socket.send(span) }
      switch result {
      case .taken(let count):
        if sent > 0 { noteInFlight(sent) }
        return count
      case .wouldBlock: return 0
      case .closed:
        // A lost reply must not block the next calls. Only streams and observers end with their
        // reader.
        guard input.conversation.current?.more != true else {
          close()
          return nil
        }
        return bytes.count
      }
    } catch {
      core.notices.note(
        "a reply could not be sent and its connection was closed", of: .user(socket.peer.uid), ["reason": "\(error)"])
      close()
      return nil
    }
  }

  private func flush() {
    guard !inFlight.isStalled else { return }
    while !isClosed, let parcel = outbox.parcels.first {
      if let permit = parcel.permit, !core.broker.mayRelease(permit) {
        guard withdraw(where: { !core.broker.mayRelease($0) }) != nil else { return close() }
        continue
      }
      let taken = parcel.bytes.withUnsafeBytes { bytes in
        offer(UnsafeRawBufferPointer(rebasing: bytes[parcel.sent...]), parcel.descriptors)
      }
      guard let taken else { return }
      if taken == 0 { break }
      outbox.took(taken)
    }
    if outbox.isEmpty {
      if closesWhenSent { return close() }
      let next = drained
      drained = nil
      next?()
      answeredLater()
    }
    updateInterest()
  }

  // MARK: Descriptors that wait in the socket

  private func hasRoomInFlight(for count: Int) -> Bool {
    if inFlight.count > 0 { noteTaken() }
    return inFlight.hasRoom(for: count) && core.connections.mayAddInFlight(count, for: self)
  }

  private func noteInFlight(_ count: Int) {
    inFlight.add(count)
    core.connections.addInFlight(count, for: self)
  }

  /// Asks the kernel whether the reader has taken everything.
  func noteTaken() {
    guard inFlight.count > 0, socket.isAllTaken else { return }
    core.connections.addInFlight(-inFlight.takeAll(), for: self)
  }

  /// Pauses sending for a moment, because no event tells that a reader took a descriptor. A
  /// connection that waits because of other users is never closed for it.
  private func stall(before count: Int) -> Int? {
    let isForOthers = inFlight.hasRoom(for: count) && core.connections.isWithinShare(count, of: self)
    if isForOthers {
      core.notices.note(
        "a connection waits, because others do not read their answers", of: .user(socket.peer.uid))
    }
    guard inFlight.stall(forOthers: isForOthers) else {
      core.notices.note(
        "a connection was closed, because its app does not read its answers", of: .user(socket.peer.uid))
      close()
      return nil
    }
    core.loop.schedule(after: .milliseconds(10)) { [self] in
      inFlight.isStalled = false
      flush()
    }
    return 0
  }

  /// Replaces queued replies that may no longer leave by refusals. Nil: one had left in part, and
  /// the connection was closed.
  func withdraw(where isWithdrawn: (Permit) -> Bool) -> Int? {
    // The refusal is written only if a reply waits: an app with 1,000 connections has few such ones.
    guard !outbox.isEmpty else { return 0 }
    var refusal = JSONWriter()
    InterfaceErrors.write(.accessEnded, to: &refusal)
    guard let count = outbox.withdraw(where: isWithdrawn, refusal: refusal.bytes) else {
      close()
      return nil
    }
    return count
  }

  /// Runs `action` when the outbox is empty; at once if it is.
  func whenDrained(_ action: @escaping () -> Void) {
    if outbox.isEmpty { action() } else { drained = action }
  }

  // MARK: The end

  /// Runs `handler` when the connection closes; at once if it is closed already, as after a first
  /// reply to a client that left.
  /// - Returns: A key for ``forgetClose(_:)``, with which an operation that ends earlier removes
  ///   its handler.
  func onClose(_ handler: @escaping () -> Void) -> UInt64 {
    guard !isClosed else {
      handler()
      return 0
    }
    return closeHandlers.add(handler)
  }

  func forgetClose(_ handler: UInt64?) {
    if let handler { closeHandlers.remove(handler) }
  }

  func closeWhenSent() {
    if outbox.isEmpty { close() } else { closesWhenSent = true }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    endSilence()
    if let timer = settling.take() { core.loop.cancel(timer) }
    if isWaiting { core.connections.turns.remove(self, in: lane) }
    if input.isDecoding { core.connections.longMessages.remove(self, in: lane) }
    watch.end(on: core.loop)
    noteTaken()
    if inFlight.count > 0 { core.connections.keep(socket, inFlight: inFlight.count) } else { socket.close() }
    threads.closer.close(input.takeDescriptors(), of: socket.peer.uid)
    for handler in closeHandlers.takeAll() { handler() }
    core.connections.release(countedBytes, of: self)
    countedBytes = 0
    core.didClose(self)
  }

  /// Bytes held for this connection in either direction.
  var heldBytes: Int { input.heldBytes + outbox.queuedBytes }

  private func countHeldBytes() {
    let held = heldBytes
    guard held != countedBytes else { return }
    let change = held - countedBytes
    countedBytes = held
    core.connections.hold(change, for: self)
  }

  private func updateInterest() {
    if !isClosed { countHeldBytes() }
    setInterest(
      Interest(
        reading: input.conversation.wantsBytes && input.hasRoomAhead && !outbox.isFull && !hasEnded
          && !input.isDecoding,
        writing: !outbox.isEmpty && !inFlight.isStalled))
  }

  private func setInterest(_ wanted: Interest) {
    guard !isClosed else { return }
    do { try watch.update(wanted, on: core.loop) } catch { close() }
  }
}
