import Broker
import BrokerInterface
import Monitor
import PhotoModel
import Varlink

/// Connections that watch their user's prompts, pickers and deletions.
///
/// A watcher is called once for all changes before its turn, and sees the state at that time.
/// Watchers run one after the other as incremental work, fairly between users, because one user may
/// have many watchers with long answers.
final class PromptWatchers {
  /// The inputs of an answer to a watcher. Two watchers with equal inputs get the same answer. The
  /// prompts are part of it, so that no watcher gets prompts that it may not see.
  struct Inputs: Equatable {
    let languages: LocalizedText.Languages
    let cursor: String?
    let questions: [AppIdentifier]
  }

  private final class Watcher {
    let lane: Turns<Watcher>.Lane
    let tell: () -> Void
    var isWaiting = false

    init(lane: Turns<Watcher>.Lane, tell: @escaping () -> Void) {
      self.lane = lane
      self.tell = tell
    }
  }

  private let doInPieces: (_ piece: @escaping () -> Bool) -> Void
  private var watchers: [ObjectIdentifier: Watcher] = [:]
  private let turns: Turns<Watcher>
  /// Whether an incremental task that calls watchers is queued.
  private var isTelling = false
  /// The time of each connection's last list of requests. The page polls its lists.
  private var lastListed: [ObjectIdentifier: (user: UInt32, time: MonotonicTime)] = [:]
  private let clock: () -> MonotonicTime
  /// The last answer for each user, kept until nobody waits or something changes.
  private var replies: [UInt32: (inputs: Inputs, reply: Admin.ListPrompts.Reply)] = [:]

  /// - Parameter doInPieces: Runs a task later, again and again until it answers false.
  init(clock: @escaping () -> MonotonicTime = { .now }, doInPieces: @escaping (_ piece: @escaping () -> Bool) -> Void) {
    turns = Turns(clock: clock)
    self.clock = clock
    self.doInPieces = doInPieces
  }

  /// Registers a watcher. It replaces the connection's earlier one.
  func add(_ connection: AnyObject, owner: UInt32, _ tell: @escaping () -> Void) {
    removeWatcher(connection)
    watchers[ObjectIdentifier(connection)] = Watcher(lane: .init(user: owner, decides: true), tell: tell)
  }

  /// Calls `tell` again whenever the user's pending prompts have changed, until the connection
  /// closes.
  func watch(_ call: IncomingCall, owner: UInt32, _ tell: @escaping () throws(CallFailure) -> Void) {
    // The first answer may have found the connection closed.
    guard !call.isClosed else { return }
    let connection = call.connection
    add(connection, owner: owner) { [unowned self] in
      guard !call.isAnswered else { return }
      if connection.outbox.isEmpty { return call.attempt(tell) }
      // A slow reader is told the newest state after it has read, in its turn. The connection owns
      // this closure.
      connection.whenDrained { [unowned self, unowned connection] in tellAgain(connection) }
    }
  }

  /// How long a connection that listed requests counts as one that shows them. An open page lists
  /// them twice a second, and a busy machine delays it.
  private static let listingLasts = Duration.seconds(30)

  /// Notes that a connection listed its user's requests.
  func noteList(_ connection: AnyObject, owner: UInt32) {
    lastListed[ObjectIdentifier(connection)] = (owner, clock())
  }

  /// Whether a connection of one of these users shows requests: it watches them, or listed them just
  /// now (R153). Other connections, such as one that follows the ledger, show none.
  func canShow(to owners: Set<UInt32>) -> Bool {
    let now = clock()
    return watchers.values.contains { owners.contains($0.lane.user) }
      || lastListed.values.contains { owners.contains($0.user) && now < $0.time.advanced(by: Self.listingLasts) }
  }

  /// Answers with a page of the requests that wait, and again after each change if the call asks for
  /// more.
  func list<Request: WaitingRequest, Item, Reply: VarlinkEncodable>(
    _ call: IncomingCall, for session: AdminSession, after cursor: String?, _ waiting: @escaping () -> [Request],
    _ shown: @escaping (Request) -> Item, reply: @escaping (ListPage<Item>) -> Reply
  ) throws(CallFailure) {
    func key(_ request: Request) -> String {
      "\(request.library.record.owner == session.uid ? 0 : 1) \(String.key(request.asked.microseconds)) "
        + "\(request.identifier)"
    }
    func present() throws(CallFailure) -> Reply {
      reply(try ListPage(waiting(), after: cursor, key: key, shown))
    }
    guard call.call.more else {
      noteList(call.connection, owner: session.uid)
      return call.reply(try present())
    }
    call.reply(try present(), continues: true)
    watch(call, owner: session.uid) { () throws(CallFailure) in call.reply(try present(), continues: true) }
  }

  func remove(_ connection: AnyObject) {
    lastListed[ObjectIdentifier(connection)] = nil
    removeWatcher(connection)
  }

  private func removeWatcher(_ connection: AnyObject) {
    guard let watcher = watchers.removeValue(forKey: ObjectIdentifier(connection)), watcher.isWaiting else { return }
    turns.remove(watcher, in: watcher.lane)
  }

  func changed(_ owners: Set<UInt32>) {
    replies = [:]
    for watcher in watchers.values where owners.contains(watcher.lane.user) { takeTurn(watcher) }
  }

  /// Queues a connection again that was not ready in its turn.
  func tellAgain(_ connection: AnyObject) {
    if let watcher = watchers[ObjectIdentifier(connection)] { takeTurn(watcher) }
  }

  /// Returns the cached answer of a watcher with equal inputs, or makes one.
  func reply(
    showing inputs: Inputs, to user: UInt32, _ make: () throws(CallFailure) -> Admin.ListPrompts.Reply
  ) throws(CallFailure) -> Admin.ListPrompts.Reply {
    if let known = replies[user], known.inputs == inputs { return known.reply }
    let reply = try make()
    replies[user] = (inputs, reply)
    return reply
  }

  private func takeTurn(_ watcher: Watcher) {
    guard !watcher.isWaiting else { return }
    watcher.isWaiting = true
    turns.add(watcher, in: watcher.lane)
    guard !isTelling else { return }
    isTelling = true
    doInPieces { [unowned self] in tellNext() }
  }

  /// - Returns: Whether others are queued.
  private func tellNext() -> Bool {
    if let watcher = turns.begin() {
      // A later change queues the watcher again.
      watcher.isWaiting = false
      watcher.tell()
      turns.finish()
    }
    guard turns.isEmpty else { return true }
    isTelling = false
    replies = [:]
    return false
  }
}
