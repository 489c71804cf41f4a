/// The connections that browsers and others hold, and which of them give way.
///
/// Loopback knows no users: whoever is on this machine can connect, and so can every site that a
/// browser shows. A connection that has shown a session's secret is kept. Any other one has a short
/// time for its first request, and ends where a newer one needs its place. Other users share none
/// of the owner's places.
package struct Connections {
  /// Browsers open six for all of their windows; more than this many of the owner's end each other.
  package static let ownerLimit = 64
  /// Those of each other user: enough for a browser behind a tunnel that somebody else serves.
  package static let userLimit = 32
  /// Those of all other users together.
  package static let othersLimit = 64
  /// How long one may take to ask for something.
  package static let patience = Duration.seconds(2)
  /// How long one is kept that got some of the page's files and showed no secret. Browsers keep
  /// several for what comes next, and take it for a fault where one ends as they use it.
  package static let idlePatience = Duration.seconds(60)

  /// Who opened it, as far as the kernel tells.
  package enum User: Hashable, Sendable {
    case owner
    case other(UInt32)
    /// There is no telling, of any of them, where the kernel was built without it.
    case unknown
  }

  private struct Held {
    let user: User
    /// Counts up; the oldest has the lowest.
    let place: Int
    let opened: ContinuousClock.Instant
    var since: ContinuousClock.Instant
    var patience = Connections.patience
    var isAdmitted = false
    var isAnswered = false
    var isEnding = false

    func yields(before other: Held) -> Bool {
      isAnswered == other.isAnswered ? (since, place) < (other.since, other.place) : other.isAnswered
    }

    func isOverdue(_ now: ContinuousClock.Instant) -> Bool {
      !isEnding && !isAdmitted && !isAnswered && now - since > patience
    }
  }

  /// How many connections came in the second that began then.
  private struct Arrivals {
    var since: ContinuousClock.Instant
    var count = 0
  }

  private var held: [Int32: Held] = [:]
  private var arrivals: [User: Arrivals] = [:]
  private var lastPlace = 0

  package init() {}

  /// Whether one more connection of a user may come: in a second as many as they have places, and
  /// the owner's always. More would end each other before they asked for anything, and keep
  /// everybody else waiting. Those that show a session's secret do not count.
  package mutating func mayOpen(_ user: User, now: ContinuousClock.Instant) -> Bool {
    let limit: Int
    switch user {
    case .owner: return true
    case .other: limit = Self.userLimit
    case .unknown: limit = Self.ownerLimit
    }
    if let present = arrivals[user], now - present.since < .seconds(1) {
      guard present.count < limit else { return false }
    } else {
      arrivals = arrivals.filter { now - $0.value.since < .seconds(1) }
      arrivals[user] = Arrivals(since: now)
    }
    arrivals[user]?.count += 1
    return true
  }

  /// A connection came.
  ///
  /// - Returns: those that end for it; itself where all others are in use.
  package mutating func open(_ connection: Int32, of user: User, now: ContinuousClock.Instant) -> [Int32] {
    lastPlace += 1
    held[connection] = Held(user: user, place: lastPlace, opened: now, since: now)
    let isOther = if case .other = user { true } else { false }
    var ending = makeRoom(limit: isOther ? Self.userLimit : Self.ownerLimit) { $0 == user }
    if isOther { ending += makeRoom(limit: Self.othersLimit) { if case .other = $0 { true } else { false } } }
    return ending
  }

  /// Ends the one without a secret that has asked nothing for longest; one that is being answered last.
  private mutating func makeRoom(limit: Int, among isMember: (User) -> Bool) -> [Int32] {
    let members = held.filter { !$0.value.isEnding && isMember($0.value.user) }
    guard members.count > limit else { return [] }
    let strangers = members.filter { !$0.value.isAdmitted }
    guard let first = strangers.min(by: { $0.value.yields(before: $1.value) }) else { return [] }
    held[first.key]?.isEnding = true
    return [first.key]
  }

  /// The headers of a request have come.
  ///
  /// - Parameter isAdmitted: Whether a session's secret is among them; nil: none at all, as where files are asked for.
  package mutating func begin(_ connection: Int32, isAdmitted: Bool?, now: ContinuousClock.Instant) {
    guard var present = held[connection] else { return }
    if isAdmitted == true && !present.isAdmitted, let came = arrivals[present.user], came.since <= present.opened,
      came.count > 0
    {
      arrivals[present.user]?.count -= 1
    }
    present.isAdmitted = isAdmitted ?? present.isAdmitted
    present.since = now
    present.patience = Self.patience
    held[connection] = present
  }

  /// The request is whole: waiting is ours now.
  package mutating func answer(_ connection: Int32) { held[connection]?.isAnswered = true }

  /// It was answered, or broken off.
  package mutating func end(_ connection: Int32, now: ContinuousClock.Instant) {
    held[connection]?.isAnswered = false
    held[connection]?.since = now
    held[connection]?.patience = Self.idlePatience
  }

  package mutating func close(_ connection: Int32) { held[connection] = nil }

  /// Ends those whose time is up.
  package mutating func expire(now: ContinuousClock.Instant) -> [Int32] {
    let late = held.filter { $0.value.isOverdue(now) }.keys
    for connection in late { held[connection]?.isEnding = true }
    return Array(late)
  }
}
