import Monitor

/// A fair queue of connections: next is the user whose turns have taken the least time so far, and
/// each of their connections in turn. The time that a turn takes is charged to its user, so over a
/// while every user who waits gets the same time, however many or long their calls are; a user with
/// short ones waits for one long turn of each other user at most.
///
/// Connections to both sockets wait here together, but a user's programs and the user's decisions
/// on the owners' socket are charged apart: a revocation waits neither for what apps of others sent
/// nor for more than one turn of the apps it is about.
final class Turns<Waiter: AnyObject> {
  /// What is charged together.
  struct Lane: Hashable {
    let user: UInt32
    /// Whether these are connections to the owners' socket.
    let decides: Bool
  }

  private let clock: () -> MonotonicTime
  /// The only one that waits, which needs no order.
  private var only: (lane: Lane, waiter: Waiter)?
  /// Of each lane with several that wait, or beside which others wait: those, in turn.
  private var rings: [Lane: [Waiter]] = [:]
  /// These lanes without that of the present turn, by the time that they have used, the least first.
  private var lanes: [(lane: Lane, used: Int64)] = []
  /// Nanoseconds that lanes have used. A lane without an entry has used `floor`.
  private var used: [Lane: Int64] = [:]
  /// The time that the lane of the latest turn had used before it. A lane that comes back later has
  /// used as much at least: nobody saves time up.
  private var floor: Int64 = 0
  /// The turn that was begun and is not over.
  private var current: (lane: Lane, began: MonotonicTime)?

  init(clock: @escaping () -> MonotonicTime = { .now }) { self.clock = clock }

  var isEmpty: Bool { only == nil && rings.isEmpty }

  /// Puts one, which does not wait yet, behind its lane's others.
  func add(_ waiter: Waiter, in lane: Lane) {
    if isEmpty { return only = (lane, waiter) }
    if let first = only.take() { append(first.waiter, in: first.lane) }
    append(waiter, in: lane)
  }

  private func append(_ waiter: Waiter, in lane: Lane) {
    rings[lane, default: []].append(waiter)
    if rings[lane]?.count == 1, lane != current?.lane { order(lane) }
  }

  /// Puts a lane behind those that have used less or as much.
  private func order(_ lane: Lane) {
    let time = timeUsed(by: lane)
    let place = lanes.lastIndex { $0.used <= time }
    lanes.insert((lane, time), at: place.map { $0 + 1 } ?? 0)
  }

  private func timeUsed(by lane: Lane) -> Int64 { max(used[lane] ?? floor, floor) }

  /// Has those whose turn it is take a `step` each, for a slice of time, the last step aside.
  func run(for slice: Duration, _ step: (Waiter) -> Void) {
    guard !isEmpty else { return }
    let end = clock().advanced(by: slice)
    while let next = begin() {
      step(next)
      if finish() >= end { return }
    }
  }

  /// Takes the one whose turn it is; nil where none waits, or before `finish` has ended the turn of another one.
  func begin() -> Waiter? {
    guard current == nil, let next = only.take() ?? takeFirst() else { return nil }
    floor = timeUsed(by: next.lane)
    current = (next.lane, clock())
    return next.waiter
  }

  private func takeFirst() -> (lane: Lane, waiter: Waiter)? {
    guard !lanes.isEmpty else { return nil }
    let lane = lanes.removeFirst().lane
    guard let waiter = rings[lane]?.removeFirst() else { return nil }
    if rings[lane]?.isEmpty ?? true { rings[lane] = nil }
    return (lane, waiter)
  }

  /// Ends the turn, and answers when.
  @discardableResult
  func finish() -> MonotonicTime {
    let now = clock()
    if let (lane, began) = current.take() {
      charge(now.nanoseconds - began.nanoseconds, to: lane)
      if rings[lane] != nil { order(lane) }
    }
    return now
  }

  /// Charges a lane with nanoseconds that something else of it took.
  func charge(_ time: Int64, to lane: Lane) {
    if used[lane] == nil { used = used.filter { $0.value > floor } }
    used[lane] = timeUsed(by: lane) + time
    if let place = lanes.firstIndex(where: { $0.lane == lane }) {
      lanes.remove(at: place)
      order(lane)
    }
  }

  /// Forgets one that waits no longer.
  func remove(_ waiter: Waiter, in lane: Lane) {
    if only?.waiter === waiter { only = nil }
    rings[lane]?.removeAll { $0 === waiter }
    guard let left = rings[lane], left.isEmpty else { return }
    rings[lane] = nil
    lanes.removeAll { $0.lane == lane }
  }
}
