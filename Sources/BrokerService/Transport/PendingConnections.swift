import Limits
import Monitor

/// Accepted connections that are not served yet. Identifying a peer takes several system calls, so
/// connections are taken fairly between users and at a limited rate for each: a user who connects
/// over and over delays only themselves.
///
/// Connections to both sockets are queued here. A user's apps and the user's own connections to the
/// owners' socket have separate turns and rates.
struct PendingConnections<Arrival: AnyObject> {
  typealias Lane = Turns<Arrival>.Lane

  /// Queue keys with pending connections, in turn.
  private var lanes: [Lane] = []
  private var waiting: [Lane: [Arrival]] = [:]
  private var count = 0
  /// A key without an entry has its full burst.
  private var rates: [Lane: RateLimiter] = [:]

  private let limit: Int
  private let limitPerLane: Int
  private let rate: RateLimiter

  init(
    limit: Int = OpenFiles.waitingConnections, limitPerLane: Int = ServiceLimits.waitingConnectionsPerUser,
    burst: Int = ServiceLimits.connectionBurst, perSecond: Int = ServiceLimits.connectionsPerSecond
  ) {
    self.limit = limit
    self.limitPerLane = limitPerLane
    rate = RateLimiter(burst: burst, interval: .seconds(1) / perSecond)
  }

  /// Queues a connection behind the others of its key.
  /// - Returns: The connection that has to be closed for it: this one, or, if all places are taken,
  ///   the last one of the key with most places.
  mutating func add(_ arrival: Arrival, in lane: Lane) -> Arrival? {
    guard waiting[lane]?.count ?? 0 < limitPerLane else { return arrival }
    var turnedAway: Arrival?
    if count >= limit {
      guard case .of(let others) = FairShare(held: waiting.mapValues(\.count), limit: limit).place(for: lane),
        let other = others.first, let last = waiting[other]?.popLast()
      else { return arrival }
      count -= 1
      endIfEmpty(other)
      turnedAway = last
    }
    if isEmpty(lane) { lanes.append(lane) }
    waiting[lane, default: []].append(arrival)
    count += 1
    return turnedAway
  }

  /// Takes the next connection of a key within its rate limit. The key is last in turn afterwards.
  mutating func next(at now: MonotonicTime) -> (arrival: Arrival, lane: Lane)? {
    guard let place = lanes.firstIndex(where: { opening(of: $0) <= now }) else { return nil }
    let lane = lanes.remove(at: place)
    lanes.append(lane)
    guard let arrival = waiting[lane]?.removeFirst() else { return nil }
    count -= 1
    endIfEmpty(lane)
    return (arrival, lane)
  }

  /// Counts a connection that begins; one that was closed while it was queued does not count.
  mutating func countEntry(of lane: Lane, at now: MonotonicTime) {
    if rates[lane] == nil { rates = rates.filter { $0.value.restored > now } }
    rates[lane, default: rate].take(now: now)
  }

  func isEmpty(_ lane: Lane) -> Bool { waiting[lane] == nil }

  mutating func takeAll() -> [Arrival] {
    defer { (lanes, waiting, count) = ([], [:], 0) }
    return waiting.values.flatMap { $0 }
  }

  /// The earliest time at which a connection can be taken; nil if none is pending.
  var opening: MonotonicTime? { lanes.lazy.map { opening(of: $0) }.min() }

  private func opening(of lane: Lane) -> MonotonicTime {
    rates[lane]?.opening ?? MonotonicTime(nanoseconds: 0)
  }

  private mutating func endIfEmpty(_ lane: Lane) {
    guard waiting[lane]?.isEmpty ?? true else { return }
    waiting[lane] = nil
    lanes.removeAll { $0 == lane }
  }
}
