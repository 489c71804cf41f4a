import Limits
import Monitor

/// Connections that were accepted and not let in yet. Who is at their other end takes several looks
/// at the system, so that is done in turn, one of each user, and for each user so often in a second
/// and no more: who opens connections over and over waits, and nobody else does.
///
/// Connections to both sockets wait here together, with a turn and a pace for a user's programs and
/// another one for what the user decides on the owners' socket.
struct Arrivals<Arrival: AnyObject> {
  typealias Lane = Turns<Arrival>.Lane

  /// Lanes of which some wait, in turn.
  private var lanes: [Lane] = []
  private var waiting: [Lane: [Arrival]] = [:]
  private var count = 0
  /// When each lane will have as many free entries again as it can save up; one that has them has no entry.
  private var restored: [Lane: MonotonicTime] = [:]

  private let limit: Int
  private let limitPerLane: Int
  /// The time between two entries of one lane, and that of all that it can save up but one.
  private let interval: Duration
  private let savings: Duration

  init(
    limit: Int = OpenFiles.waitingConnections, limitPerLane: Int = ServiceLimits.waitingConnectionsPerUser,
    burst: Int = ServiceLimits.connectionBurst, perSecond: Int = ServiceLimits.connectionsPerSecond
  ) {
    self.limit = limit
    self.limitPerLane = limitPerLane
    interval = .seconds(1) / perSecond
    savings = interval * (burst - 1)
  }

  /// Puts one behind its lane's others.
  /// - Returns: Who is turned away by that: it itself, or, where all places are taken, the last one
  ///   of a lane of which most wait.
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

  /// Takes the one whose turn it is, of a lane that is not ahead of its pace. Its lane is behind all others then.
  mutating func next(at now: MonotonicTime) -> (arrival: Arrival, lane: Lane)? {
    guard let place = lanes.firstIndex(where: { opening(of: $0) <= now }) else { return nil }
    let lane = lanes.remove(at: place)
    lanes.append(lane)
    guard let arrival = waiting[lane]?.removeFirst() else { return nil }
    count -= 1
    endIfEmpty(lane)
    return (arrival, lane)
  }

  /// Counts an entry: what is let in, and not what has left while it waited.
  mutating func countEntry(of lane: Lane, at now: MonotonicTime) {
    let time = restored[lane] ?? now
    if restored[lane] == nil { restored = restored.filter { $0.value > now } }
    restored[lane] = max(time, now).advanced(by: interval)
  }

  func isEmpty(_ lane: Lane) -> Bool { waiting[lane] == nil }

  /// Takes all out, in no order.
  mutating func takeAll() -> [Arrival] {
    defer { (lanes, waiting, count) = ([], [:], 0) }
    return waiting.values.flatMap { $0 }
  }

  /// When the next one can be taken; nil where none waits.
  var opening: MonotonicTime? { lanes.lazy.map { opening(of: $0) }.min() }

  private func opening(of lane: Lane) -> MonotonicTime {
    restored[lane]?.advanced(by: .zero - savings) ?? MonotonicTime(nanoseconds: 0)
  }

  private mutating func endIfEmpty(_ lane: Lane) {
    guard waiting[lane]?.isEmpty ?? true else { return }
    waiting[lane] = nil
    lanes.removeAll { $0 == lane }
  }
}
