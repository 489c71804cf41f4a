/// Who begins the next call: one of each user in turn, and of one user's connections each in turn. However many calls one user has sent,
/// anybody else's next one waits for one call of each user at most.
///
/// Connections to both sockets wait here together, but a user's programs and what the user decides on the owners' socket each have a turn
/// of their own: a revocation waits neither for what apps of others sent nor for more than one call of the apps it is about, on however
/// many connections they call.
struct Turns<Waiter: AnyObject> {
  /// What has one turn among all others.
  struct Lane: Hashable {
    let user: UInt32
    /// Whether these are connections to the owners' socket.
    let decides: Bool
  }

  /// The only one that waits, which needs no order.
  private var only: (lane: Lane, waiter: Waiter)?
  /// Of each lane with several that wait, or beside which others wait: those, in turn.
  private var rings: [Lane: [Waiter]] = [:]
  /// These lanes, in turn.
  private var lanes: [Lane] = []

  var isEmpty: Bool { only == nil && lanes.isEmpty }

  /// Puts one, which does not wait yet, behind its lane's others; a lane in which none waited goes behind all other lanes.
  mutating func add(_ waiter: Waiter, in lane: Lane) {
    if isEmpty { return only = (lane, waiter) }
    if let first = only.take() { append(first.waiter, in: first.lane) }
    append(waiter, in: lane)
  }

  private mutating func append(_ waiter: Waiter, in lane: Lane) {
    if rings[lane] == nil { lanes.append(lane) }
    rings[lane, default: []].append(waiter)
  }

  /// Takes the one whose turn it is. Its lane is behind all others then.
  mutating func next() -> Waiter? {
    if let first = only.take() { return first.waiter }
    guard !lanes.isEmpty else { return nil }
    let lane = lanes.removeFirst()
    let waiter = rings[lane]?.removeFirst()
    if rings[lane]?.isEmpty ?? true { rings[lane] = nil } else { lanes.append(lane) }
    return waiter
  }

  /// Forgets one that waits no longer.
  mutating func remove(_ waiter: Waiter, in lane: Lane) {
    if only?.waiter === waiter { only = nil }
    rings[lane]?.removeAll { $0 === waiter }
    guard let left = rings[lane], left.isEmpty else { return }
    rings[lane] = nil
    lanes.removeAll { $0 == lane }
  }
}
