/// Decides which HTTP connections are closed to make room.
///
/// Every user on this machine can connect to loopback, and every site in a browser can. A
/// connection that has shown a session's secret is kept. Others have a short time for their first
/// request and are closed when newer ones need room. Other users cannot use up the owner's places.
package struct Connections {
  /// Greatest number for the owner. A browser opens six for all its windows together.
  package static let ownerLimit = 64
  /// Greatest number for each other user: enough for a browser behind a tunnel.
  package static let userLimit = 32
  /// Greatest number for all other users together.
  package static let othersLimit = 64
  /// Time for the first request.
  package static let patience = Duration.seconds(2)
  /// Time that a connection without a secret may idle after it fetched page files. Browsers keep
  /// such connections for reuse, and report an error if one closes as they use it.
  package static let idlePatience = Duration.seconds(60)

  /// The user at the other end, as the kernel reports.
  package enum User: Hashable, Sendable {
    case owner
    case other(UInt32)
    /// The kernel has no socket diagnostics.
    case unknown
  }

  private struct Held {
    let user: User
    /// Rises with each connection: the oldest has the lowest.
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

  /// Connections that arrived in the second from `since`.
  private struct ArrivalCount {
    var since: ContinuousClock.Instant
    var count = 0
  }

  private var held: [Int32: Held] = [:]
  private var arrivals: [User: ArrivalCount] = [:]
  private var lastPlace = 0

  package init() {}

  /// Whether a user may open one more connection this second. Each other user may open as many per
  /// second as they have places: more would close each other before their first request and delay
  /// everybody. Connections that show a secret do not count.
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
      arrivals[user] = ArrivalCount(since: now)
    }
    arrivals[user]?.count += 1
    return true
  }

  /// Registers a connection.
  ///
  /// - Returns: The connections to close for it, itself included if all others are in use.
  package mutating func open(_ connection: Int32, of user: User, now: ContinuousClock.Instant) -> [Int32] {
    lastPlace += 1
    held[connection] = Held(user: user, place: lastPlace, opened: now, since: now)
    let isOther = if case .other = user { true } else { false }
    var ending = makeRoom(limit: isOther ? Self.userLimit : Self.ownerLimit) { $0 == user }
    if isOther { ending += makeRoom(limit: Self.othersLimit) { if case .other = $0 { true } else { false } } }
    return ending
  }

  /// Picks the connection without a secret that has been idle longest; those with a request under
  /// way come last.
  private mutating func makeRoom(limit: Int, among isMember: (User) -> Bool) -> [Int32] {
    let members = held.filter { !$0.value.isEnding && isMember($0.value.user) }
    guard members.count > limit else { return [] }
    let strangers = members.filter { !$0.value.isAdmitted }
    guard let first = strangers.min(by: { $0.value.yields(before: $1.value) }) else { return [] }
    held[first.key]?.isEnding = true
    return [first.key]
  }

  /// Notes that a request's headers arrived.
  ///
  /// - Parameter isAdmitted: Whether the headers hold a session's secret; nil for page files, which
  ///   need none.
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

  /// Notes that the request is complete, so that the delay is the server's.
  package mutating func answer(_ connection: Int32) { held[connection]?.isAnswered = true }

  /// Notes that the request was answered or aborted.
  package mutating func end(_ connection: Int32, now: ContinuousClock.Instant) {
    held[connection]?.isAnswered = false
    held[connection]?.since = now
    held[connection]?.patience = Self.idlePatience
  }

  package mutating func close(_ connection: Int32) { held[connection] = nil }

  /// Returns the overdue connections, to be closed.
  package mutating func expire(now: ContinuousClock.Instant) -> [Int32] {
    let late = held.filter { $0.value.isOverdue(now) }.keys
    for connection in late { held[connection]?.isEnding = true }
    return Array(late)
  }
}
