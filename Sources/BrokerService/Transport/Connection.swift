import Broker
import EventLoop
import Limits
import Monitor
import UnixSocket
import Varlink

/// One client's connection: bytes in, calls out to the method table, replies back. Belongs to the loop.
final class Connection {
  let socket: SocketConnection
  let role: Role
  unowned let core: ServiceCore
  private var conversation = ServerConversation()
  private(set) var outbox = Outbox()
  private var writer = JSONWriter(capacity: 2_048)
  private var descriptors = CameDescriptors()
  /// Calls that were begun so far.
  private var begunCalls: UInt64 = 0
  private var source: SourceID?
  private var interest: Interest = [.read]
  private(set) var isClosed = false
  /// What this connection is sending in pieces.
  var uploads = Uploads()
  /// What it is reading in pieces.
  var piecesRead = PiecesRead()
  private var closesWhenSent = false
  /// This waits for its turn.
  private var isWaiting = false
  /// The next call came in a long message, which waits to be decoded beside the loop or is there now.
  private var isDecoding = false
  /// The outcome of the decoding.
  private var decoded: LongMessages.Decoded?
  /// Bytes of the conversation while it is there.
  private var lentBytes = 0
  /// The readiness that the socket told since the latest turn.
  private var readiness: Readiness = []
  /// It has called nothing for too long.
  private var isOverdue = false
  /// The process that made it is gone.
  private var hasLostProcess = false
  /// The other end sends no more, though it may still listen: what it sent is answered before the connection closes.
  private var hasEnded = false
  /// Nobody listens any more either; what waits for its turn is begun before the connection closes.
  private(set) var isLeft = false
  /// Closes it then, whatever is under way.
  private var settling: TimerID?
  /// When it was opened or last began a call, as ``ServiceCore/nextUse()`` counts.
  private(set) var lastUse: UInt64
  /// Called once, when the connection is gone: streams and observers end with it.
  private var closeHandlers: [UInt64: () -> Void] = [:]
  private var lastCloseHandler: UInt64 = 0
  /// Descriptors that were sent since the reader had last taken everything.
  private(set) var inFlight = 0
  /// Since when the reader takes none of them, and whether nothing is sent until that is looked at again.
  private var stalledSince: MonotonicTime?
  private var isStalled = false
  /// What was counted of ``heldBytes`` so far.
  private var countedBytes = 0
  /// Called when everything queued has left; set again by whoever has more.
  private var drained: (() -> Void)?

  enum Role {
    case app(Session)
    case administration(AdminSession)
  }

  /// Counts and closes what its user sends.
  let closer: DescriptorCloser
  /// Read from it.
  let readers: ForeignThreads

  init(_ socket: SocketConnection, role: Role, closer: DescriptorCloser, readers: ForeignThreads, core: ServiceCore) {
    self.socket = socket
    self.role = role
    self.closer = closer
    self.readers = readers
    self.core = core
    lastUse = core.nextUse()
  }

  func start() throws(EventLoopError) {
    // Held by the loop until it is closed. A weak reference would make each count of the others take a slower path.
    source = try core.loop.register(socket.number, for: interest) { [self] readiness in isReady(readiness) }
    silence = core.loop.schedule(after: ServiceLimits.firstCallDeadline) { [self] in
      isOverdue = true
      awaitTurn()
    }
  }

  // MARK: In

  /// Ends a connection that has not called yet.
  private var silence: TimerID?

  private func endSilence() {
    if let timer = silence.take() { core.loop.cancel(timer) }
  }

  /// The socket is ready; what is to be done then waits for this connection's turn, with what
  /// others of its user have to do.
  private func isReady(_ readiness: Readiness) {
    self.readiness.formUnion(readiness)
    if readiness.contains(.hungUp) {
      // It would be said again and again, and nothing else any more.
      if let source = source.take() { core.loop.deregister(source) }
    } else if isWaiting {
      // Said before: it is not said again before the turn.
      setInterest([])
    }
    awaitTurn()
  }

  /// Waits for this connection's turn.
  private func awaitTurn() {
    guard !isWaiting, !isClosed else { return }
    isWaiting = true
    core.turns.add(self, in: lane)
  }

  private var lane: Turns<Connection>.Lane {
    if case .administration = role {
      .init(user: socket.peer.uid, decides: true)
    } else {
      .init(user: socket.peer.uid, decides: false)
    }
  }

  /// It is this connection's turn: sends, reads and begins a call, each once at most.
  func takeTurn() {
    isWaiting = false
    let ready = readiness
    readiness.formIntersection(.hungUp)
    if hasLostProcess, !isDecoding {
      if !hasEnded { receive() }
      leave()
    } else if ready.contains(.hungUp), hasEnded {
      leave()
    } else if ready.contains(.hungUp), !hasRoomAhead {
      leaveUnread()
    } else {
      if ready.contains(.writable) { flush() }
      if ready.isWorthReading { receive() }
    }
    if hasCall { beginCall() }
    if isOverdue, silence != nil { close() }
    if hasCall || readiness.contains(.hungUp) && !isLeft && !isDecoding { awaitTurn() }
    closeIfDone()
    updateInterest()
  }

  /// The process that made it is gone. What it sent is begun in its turn, since whoever calls
  /// `oneway` may leave at once; what another one sends, to which it handed the socket, is not
  /// read.
  func processEnded() {
    if case .app(let session) = role { session.outliveProcess() }
    hasLostProcess = true
    awaitTurn()
  }

  /// Nothing more comes. Whoever only shut down its sending side hears what it asked for, streams
  /// until it leaves; whether anybody is left, the loop says next.
  private func end() {
    hasEnded = true
    closeIfDone()
  }

  /// Nobody is there any more: closes when whole calls that wait for their turn were carried out.
  private func leave() {
    guard !isLeft, !isClosed else { return }
    hasEnded = true
    isLeft = true
    // It would be said again and again.
    if let source = source.take() { core.loop.deregister(source) }
    outbox = Outbox()
    drained = nil
    guard hasCall || !closesWhenSent && isSettling else { return close() }
    // What they wait for may be a person.
    settling = core.loop.schedule(after: ServiceLimits.settlingDeadline) { [weak self] in self?.close() }
  }

  /// The same where more may be there than descriptors have room; nobody's reading would make any,
  /// and that it is left would be said again and again.
  private func leaveUnread() {
    core.notices.note(
      "a connection was left while calls waited for room for their descriptors; what was not read of them is not carried out",
      of: .user(socket.peer.uid))
    leave()
  }

  /// Closes a connection from which nothing more comes, when it has all that it asked for, or what
  /// is left was asked by nobody who is there.
  private func closeIfDone() {
    guard hasEnded, !isClosed, !hasCall else { return }
    if isLeft ? !isSettling : isIdle && conversation.pendingCalls == 0 && outbox.isEmpty { close() }
  }

  /// Whether what is under way, though nobody waits for its answer any more, is to be carried out
  /// to its end, or has whole calls behind it that are. What goes on until its reader leaves is
  /// not.
  private var isSettling: Bool {
    if isDecoding { return true }
    guard let call = conversation.current, !call.more else { return false }
    return call.oneway || conversation.pendingCalls > 0
  }

  /// A call was answered later than in the turn that began it.
  func answeredLater() {
    if hasCall { awaitTurn() } else { closeIfDone() }
  }

  private func receive() {
    guard !isClosed, !hasEnded, !isDecoding else { return }
    guard !closesWhenSent else { return discard() }
    guard hasRoomAhead else { return }
    var came = OwnedDescriptors()
    defer { closer.close(came.takeAll(), of: socket.peer.uid) }
    do {
      let known = begunCalls + UInt64(conversation.pendingCalls)
      let received = try core.receive(on: self, descriptors: &came, into: &conversation)
      let last = begunCalls + UInt64(conversation.pendingCalls) + (conversation.isInsideCall ? 1 : 0)
      if case .bytes = received { descriptors.append(came.takeAll(), beside: known + 1...max(last, known + 1)) }
      mindDescriptors()
      switch received {
      case .bytes:
        guard descriptors.count(after: begunCalls) <= ServiceLimits.descriptorsPerConnection else {
          throw VarlinkError.limitExceeded(
            "the number of descriptors that wait", limit: ServiceLimits.descriptorsPerConnection)
        }
      case .wouldBlock: break
      case .closed: end()
      case .descriptorsRefused:
        if handsOver {
          core.notices.note(
            "a connection was closed, because its user has sent too many descriptors", of: .user(socket.peer.uid))
        }
        close()
      }
    } catch {
      core.notices.note(
        "a connection broke the rules of the wire and was closed", of: .user(socket.peer.uid), ["reason": "\(error)"])
      // Where whole calls wait before it, whatever is said would be taken for their answer.
      if let error = error as? VarlinkError, conversation.pendingCalls == 0 { refuse(error) } else { close() }
    }
  }

  /// Takes what still comes to a connection that only waits for its last answer to leave.
  private func discard() {
    var unread = ServerConversation()
    var came = OwnedDescriptors()
    defer { closer.close(came.takeAll(), of: socket.peer.uid) }
    switch try? core.receive(on: self, descriptors: &came, into: &unread) {
    case .bytes, .wouldBlock: break
    case .closed: end()
    case .descriptorsRefused, nil: close()
    }
  }

  /// Whether a call has arrived that can be begun: the one before it has its last reply.
  private var hasCall: Bool {
    !isClosed && !closesWhenSent && !outbox.isFull && (decoded != nil || isIdle && conversation.pendingCalls > 0)
  }

  private func beginCall() {
    endSilence()
    do {
      if let decoded = decoded.take() {
        if let call = try decoded.call.get() { begin(IncomingCall(call, on: self, decoded: decoded.parameters)) }
      } else if conversation.bufferedBytes >= LongMessages.leastBytes {
        isDecoding = true
        core.longMessages.add(self, in: lane)
      } else if let call = try conversation.nextCall() {
        begunCalls += 1
        begin(IncomingCall(call, on: self))
      }
    } catch {
      core.notices.note(
        "a message was no call and its connection was closed", of: .user(socket.peer.uid), ["reason": "\(error)"])
      refuse(error)
    }
  }

  private func begin(_ call: IncomingCall) {
    lastUse = core.nextUse()
    core.table(of: self).serve(call)
  }

  /// Gives the conversation away until its next call is decoded; nothing is read meanwhile.
  func lendConversation() -> ServerConversation {
    defer { conversation = ServerConversation() }
    lentBytes = conversation.heldBytes
    return conversation
  }

  /// The next call is decoded, and begins in its turn.
  func take(_ decoded: LongMessages.Decoded) {
    guard !isClosed else { return }
    isDecoding = false
    lentBytes = 0
    conversation = decoded.conversation
    begunCalls += 1
    self.decoded = decoded
    awaitTurn()
  }

  /// Says what was wrong with a message that is no call, and closes; nothing where the call before
  /// it still waits for its answer.
  private func refuse(_ error: VarlinkError) {
    guard !isClosed, isIdle else { return close() }
    InterfaceErrors.write(error, for: role, to: &writer)
    release(permit: nil, descriptors: nil)
    closeWhenSent()
  }

  /// The next descriptor that came beside the current call.
  func takeDescriptor() -> HandedDescriptor? {
    guard let descriptor = descriptors.take(for: begunCalls) else { return nil }
    return HandedDescriptor(descriptor, of: socket.peer.uid, closer: closer)
  }

  /// Closes descriptors that the current call did not take.
  func dropDescriptors() { closer.close(descriptors.drop(upTo: begunCalls), of: socket.peer.uid) }

  /// Whether descriptors may be sent here since the caller was let in, and whether they may now.
  private var handsOver = false
  private var passesRights = false

  /// Lets descriptors come, as long as whoever is there may hand any over: an app that may add, and
  /// everybody at the owners' socket, since every user may add a library with its credentials.
  func allowDescriptors() {
    handsOver = handsOver || mayHandOver
    mindDescriptors()
  }

  /// Whether one more call has room with all the descriptors that it can use. With none, whoever
  /// sends calls ahead waits until one of them is begun; what belongs to a call that has not ended
  /// is read in any case.
  private var hasRoomAhead: Bool {
    conversation.pendingCalls == 0
      || descriptors.count(after: begunCalls) + ServiceLimits.createdAssets <= ServiceLimits.descriptorsPerConnection
  }

  /// Whether what is sent here has room, where anything was ever allowed to be.
  var hasRoomForDescriptors: Bool { !handsOver || closer.mayTake(from: socket.peer.uid) }

  private var mayHandOver: Bool { if case .app(let session) = role { session.mayAdd } else { true } }

  /// Asked again with all that comes, since rights come and go, and room with what others of the user send.
  func mindDescriptors() {
    guard handsOver else { return }
    let allowed = mayHandOver && closer.mayTake(from: socket.peer.uid)
    guard allowed != passesRights else { return }
    passesRights = allowed
    socket.setPassRights(allowed)
  }

  // MARK: Out

  /// Sends a reply; the one way out for everything that a client is told. What a permit covers leaves only while that
  /// permit holds, which is asked here, at the last moment, and again whenever the socket could not take it at once.
  /// - Returns: false where the call had its last answer instead: a refusal.
  func send(
    under permit: Permit?, continues: Bool, descriptors: SharedDescriptors? = nil, _ body: (inout JSONWriter) -> Void
  ) -> Bool {
    guard !isClosed else { return true }
    if let permit, !core.broker.mayRelease(permit) {
      fail(permit.refusal)
      return false
    }
    let start = writer.count
    do { try conversation.reply(continues: continues, to: &writer, body) } catch {
      core.log.error("a reply did not fit its call", ["reason": "\(error)"])
      close()
      return true
    }
    if writer.count > start { release(permit: permit, descriptors: descriptors, continues: continues) }
    return true
  }

  func fail(_ error: some MethodError) {
    guard !isClosed else { return }
    do { try conversation.fail(error, to: &writer) } catch { return close() }
    if writer.count > 0 { release(permit: nil, descriptors: nil) }
  }

  func fail(_ error: BrokerError) { InterfaceErrors.fail(self, error) }

  /// The current call has had its last reply.
  var isIdle: Bool { conversation.current == nil && !isDecoding }

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

  /// Offers bytes to the socket; nil where the connection is closed by that.
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
        // What nobody hears any more holds up no call behind it, but for what goes on until its reader leaves.
        guard conversation.current?.more != true else {
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
    guard !isStalled else { return }
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
    if inFlight > 0 { noteTaken() }
    return inFlight + count <= ServiceLimits.descriptorsInFlight && core.mayAddInFlight(count, for: self)
  }

  private func noteInFlight(_ count: Int) {
    stalledSince = nil
    inFlight += count
    core.addInFlight(count, for: self)
  }

  /// Asks the kernel whether the reader has taken everything.
  func noteTaken() {
    guard inFlight > 0, socket.isAllTaken else { return }
    core.addInFlight(-inFlight, for: self)
    inFlight = 0
  }

  /// Nothing tells when a reader has taken a descriptor out, so that is looked at again in a
  /// moment. Who waits for what others do not take is not closed for that.
  private func stall(before count: Int) -> Int? {
    let now = MonotonicTime.now
    let isForOthers = inFlight + count <= ServiceLimits.descriptorsInFlight && core.isWithinShare(count, of: self)
    if isForOthers {
      core.notices.note(
        "a connection waits, because others do not take what they were sent", of: .user(socket.peer.uid))
    }
    let since = isForOthers ? now : stalledSince ?? now
    guard now < since.advanced(by: ServiceLimits.stallLimit) else {
      core.notices.note("a connection was closed, because nobody takes what it was sent", of: .user(socket.peer.uid))
      close()
      return nil
    }
    stalledSince = since
    isStalled = true
    core.loop.schedule(after: .milliseconds(10)) { [self] in
      isStalled = false
      flush()
    }
    return 0
  }

  /// Drops queued replies that may no longer leave, each answered by a refusal in its place. Nil:
  /// one had left in part, and the connection was closed.
  func withdraw(where isWithdrawn: (Permit) -> Bool) -> Int? {
    var refusal = JSONWriter()
    InterfaceErrors.write(.accessEnded, to: &refusal)
    guard let count = outbox.withdraw(where: isWithdrawn, refusal: refusal.bytes) else {
      close()
      return nil
    }
    return count
  }

  /// Runs `action` when nothing is queued any more; at once where nothing is.
  func whenDrained(_ action: @escaping () -> Void) {
    if outbox.isEmpty { action() } else { drained = action }
  }

  // MARK: The end

  /// Runs `handler` when the connection is gone: at once where it is already, as after a first reply that found nobody.
  /// - Returns: What ``forgetClose(_:)`` takes, by which whatever ends before its connection leaves nothing behind.
  func onClose(_ handler: @escaping () -> Void) -> UInt64 {
    lastCloseHandler += 1
    if isClosed { handler() } else { closeHandlers[lastCloseHandler] = handler }
    return lastCloseHandler
  }

  func forgetClose(_ handler: UInt64?) {
    if let handler { closeHandlers[handler] = nil }
  }

  /// Closes after what is queued has left.
  func closeWhenSent() {
    if outbox.isEmpty { close() } else { closesWhenSent = true }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    endSilence()
    if let timer = settling.take() { core.loop.cancel(timer) }
    if isWaiting { core.turns.remove(self, in: lane) }
    if isDecoding { core.longMessages.remove(self, in: lane) }
    if let source { core.loop.deregister(source) }
    noteTaken()
    if inFlight > 0 { core.keep(socket, inFlight: inFlight) } else { socket.close() }
    closer.close(descriptors.takeAll(), of: socket.peer.uid)
    let handlers = closeHandlers
    closeHandlers = [:]
    for handler in handlers.values { handler() }
    core.release(countedBytes, of: self)
    countedBytes = 0
    core.didClose(self)
  }

  /// Bytes that are held for this connection in either direction.
  var heldBytes: Int { conversation.heldBytes + lentBytes + outbox.queuedBytes }

  private func countHeldBytes() {
    let held = heldBytes
    guard held != countedBytes else { return }
    let change = held - countedBytes
    countedBytes = held
    core.hold(change, for: self)
  }

  private func updateInterest() {
    if !isClosed { countHeldBytes() }
    setInterest(
      Interest(
        reading: conversation.wantsBytes && hasRoomAhead && !outbox.isFull && !hasEnded && !isDecoding,
        writing: !outbox.isEmpty && !isStalled))
  }

  private func setInterest(_ wanted: Interest) {
    guard !isClosed, let source, wanted != interest else { return }
    interest = wanted
    do { try core.loop.update(source, for: wanted) } catch { close() }
  }
}
