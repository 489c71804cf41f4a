import Monitor

/// A fair queue of connections. The next turn goes to the user whose turns took the least time so
/// far, and among a user's connections round robin. Every turn's time is charged to its user, so
/// over a while all waiting users get equal time. A user with short calls waits for at most one
/// long turn of each other user.
///
/// Time used while nobody else waits is not charged: a user who was busy alone owes nobody.
///
/// A user's apps and the user's own connections to the owners' socket are charged separately. So a
/// revocation waits for at most one turn of the apps that it concerns.
final class Turns<Waiter: AnyObject> {
  /// The unit that time is charged to.
  struct Lane: Hashable {
    let user: UInt32
    /// Whether these are connections to the owners' socket.
    let decides: Bool
  }

  private let clock: () -> MonotonicTime
  /// The waiter if there is only one, which needs no order.
  private var only: (lane: Lane, waiter: Waiter)?
  /// The waiters of each lane in the order of their turns, if there are several waiters in total.
  private var rings: [Lane: [Waiter]] = [:]
  /// Lanes with waiters by the time that they used, least first; without the lane of the present
  /// turn.
  private var lanes: [(lane: Lane, used: Int64)] = []
  /// Nanoseconds that lanes used. A lane without an entry used `floor`.
  private var used: [Lane: Int64] = [:]
  /// The used time of the latest turn's lane, before that turn. A returning lane starts with at
  /// least this time, so that no lane gains by being idle.
  private var floor: Int64 = 0
  private var current: (lane: Lane, began: MonotonicTime)?

  init(clock: @escaping () -> MonotonicTime = { .now }) { self.clock = clock }

  var isEmpty: Bool { only == nil && rings.isEmpty }

  func add(_ waiter: Waiter, in lane: Lane) {
    if isEmpty { return only = (lane, waiter) }
    if let first = only.take() { append(first.waiter, in: first.lane) }
    append(waiter, in: lane)
  }

  private func append(_ waiter: Waiter, in lane: Lane) {
    rings[lane, default: []].append(waiter)
    if rings[lane]?.count == 1, lane != current?.lane { order(lane) }
  }

  private func order(_ lane: Lane) {
    let time = timeUsed(by: lane)
    let place = lanes.lastIndex { $0.used <= time }
    lanes.insert((lane, time), at: place.map { $0 + 1 } ?? 0)
  }

  private func timeUsed(by lane: Lane) -> Int64 { max(used[lane] ?? floor, floor) }

  /// Calls `step` for each waiter in turn, until a time budget is used up.
  func run(for slice: Duration, _ step: (Waiter) -> Void) {
    guard !isEmpty else { return }
    let end = clock().advanced(by: slice)
    while let next = begin() {
      step(next)
      if finish() >= end { return }
    }
  }

  /// Begins the next turn; nil if none waits, or if the previous turn has not finished.
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

  @discardableResult
  func finish() -> MonotonicTime {
    let now = clock()
    if let (lane, began) = current.take() {
      charge(now.nanoseconds - began.nanoseconds, to: lane)
      if rings[lane] != nil { order(lane) }
      if isEmpty { used.removeAll(keepingCapacity: true) }
    }
    return now
  }

  /// Charges a lane with nanoseconds of other work.
  func charge(_ time: Int64, to lane: Lane) {
    if used[lane] == nil { used = used.filter { $0.value > floor } }
    used[lane] = timeUsed(by: lane) + time
    if let place = lanes.firstIndex(where: { $0.lane == lane }) {
      lanes.remove(at: place)
      order(lane)
    }
  }

  func remove(_ waiter: Waiter, in lane: Lane) {
    if only?.waiter === waiter { only = nil }
    rings[lane]?.removeAll { $0 === waiter }
    guard let left = rings[lane], left.isEmpty else { return }
    rings[lane] = nil
    lanes.removeAll { $0.lane == lane }
  }
}
