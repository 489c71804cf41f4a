import Broker
import BrokerInterface
import Monitor

/// Those who watch what waits for them, questions and pickers, and when they are told of it.
///
/// A watcher is told once of all that changed before its turn, and as it is by then. They are told
/// one after the other, of each user one in turn, as part of what the loop does in pieces: one user
/// may have many, and each may be told much.
final class PromptWatchers {
  /// What a watcher of questions is shown: who is shown the same is answered the same. With which
  /// questions they are, nobody is answered what another one was who might still see it.
  struct Sight: Equatable {
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
  /// Whether a piece is on its way that tells those who wait.
  private var isTelling = false
  /// What was answered last to a watcher of each user, kept while nothing changes and others are still to be answered.
  private var replies: [UInt32: (sight: Sight, reply: Admin.ListPrompts.Reply)] = [:]

  /// - Parameter doInPieces: Runs a piece, soon and not at once, again and again as long as it
  ///   answers that more is left.
  init(clock: @escaping () -> MonotonicTime = { .now }, doInPieces: @escaping (_ piece: @escaping () -> Bool) -> Void) {
    turns = Turns(clock: clock)
    self.doInPieces = doInPieces
  }

  /// Tells a connection from now on, in place of what it watched before.
  func add(_ connection: AnyObject, owner: UInt32, _ tell: @escaping () -> Void) {
    remove(connection)
    watchers[ObjectIdentifier(connection)] = Watcher(lane: .init(user: owner, decides: true), tell: tell)
  }

  func remove(_ connection: AnyObject) {
    guard let watcher = watchers.removeValue(forKey: ObjectIdentifier(connection)), watcher.isWaiting else { return }
    turns.remove(watcher, in: watcher.lane)
  }

  /// What waits for these users has changed.
  func changed(_ owners: Set<UInt32>) {
    replies = [:]
    for watcher in watchers.values where owners.contains(watcher.lane.user) { takeTurn(watcher) }
  }

  /// A connection could not be told when it was its turn, and can be now.
  func tellAgain(_ connection: AnyObject) {
    if let watcher = watchers[ObjectIdentifier(connection)] { takeTurn(watcher) }
  }

  /// Answers what another watcher of the user was answered who is shown the same, else what `make` says.
  func reply(
    showing sight: Sight, to user: UInt32, _ make: () throws(CallFailure) -> Admin.ListPrompts.Reply
  ) throws(CallFailure) -> Admin.ListPrompts.Reply {
    if let known = replies[user], known.sight == sight { return known.reply }
    let reply = try make()
    replies[user] = (sight, reply)
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

  /// - Returns: Whether others wait.
  private func tellNext() -> Bool {
    if let watcher = turns.begin() {
      // What changes from now on it is told again.
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
