import Monitor
import Testing

@testable import BrokerService

/// The order and rate in which pending connections are taken (R129).
@Suite struct PendingConnectionsTests {
  private final class Arrival {
    let name: String
    init(_ name: String) { self.name = name }
  }

  private typealias Lane = PendingConnections<Arrival>.Lane

  private static func apps(_ user: UInt32) -> Lane { .init(user: user, decides: false) }

  private func arrivals(limit: Int = 100, perLane: Int = 100, burst: Int = 100, perSecond: Int = 10)
    -> PendingConnections<
      Arrival
    >
  {
    PendingConnections(limit: limit, limitPerLane: perLane, burst: burst, perSecond: perSecond)
  }

  private func moment(_ milliseconds: Int64) -> MonotonicTime {
    .init(nanoseconds: (1_000_000 + milliseconds) * 1_000_000)
  }

  /// Adds connections of one lane; returns the names of those that are closed for it.
  private func add(_ count: Int, _ name: String, in lane: Lane, _ arrivals: inout PendingConnections<Arrival>)
    -> [String]
  {
    (1...count).compactMap { arrivals.add(Arrival("\(name)\($0)"), in: lane)?.name }
  }

  /// Takes all connections that may be taken.
  private func beginPending(at now: MonotonicTime, _ arrivals: inout PendingConnections<Arrival>, atMost: Int = 1_000)
    -> [String]
  {
    var names: [String] = []
    while names.count < atMost, let (arrival, lane) = arrivals.next(at: now) {
      arrivals.countEntry(of: lane, at: now)
      names.append(arrival.name)
    }
    return names
  }

  @Test func `R129 one connection of each user is admitted in turn, whatever the backlog`() {
    var arrivals = arrivals()
    #expect(add(50, "s", in: Self.apps(1), &arrivals) == [])
    #expect(beginPending(at: moment(0), &arrivals, atMost: 2) == ["s1", "s2"])
    #expect(add(2, "a", in: Self.apps(2), &arrivals) == [])
    #expect(
      add(1, "d", in: .init(user: 1, decides: true), &arrivals) == [],
      "what the same user decides has a turn of its own")
    #expect(beginPending(at: moment(0), &arrivals, atMost: 5) == ["s3", "a1", "d1", "s4", "a2"])
  }

  @Test func `R129 a user's burst is admitted, then a limited rate, and nobody else waits`() {
    var arrivals = arrivals(burst: 3, perSecond: 10)
    #expect(add(9, "s", in: Self.apps(1), &arrivals) == [])
    #expect(beginPending(at: moment(0), &arrivals) == ["s1", "s2", "s3"])
    #expect(arrivals.opening == moment(100))
    #expect(beginPending(at: moment(99), &arrivals) == [])
    #expect(add(3, "a", in: Self.apps(2), &arrivals) == [])
    #expect(beginPending(at: moment(99), &arrivals) == ["a1", "a2", "a3"])
    #expect(beginPending(at: moment(100), &arrivals) == ["s4"])
    #expect(beginPending(at: moment(350), &arrivals) == ["s5", "s6"])
    #expect(beginPending(at: moment(9_000), &arrivals) == ["s7", "s8", "s9"])
    #expect(arrivals.opening == nil)
    #expect(add(4, "t", in: Self.apps(1), &arrivals) == [])
    #expect(beginPending(at: moment(99_000), &arrivals) == ["t1", "t2", "t3"], "no more than that is saved up")
  }

  @Test func `R129 a departed connection counts for nothing`() {
    var arrivals = arrivals(burst: 1, perSecond: 10)
    #expect(add(3, "s", in: Self.apps(1), &arrivals) == [])
    #expect(arrivals.next(at: moment(0))?.arrival.name == "s1")
    #expect(beginPending(at: moment(0), &arrivals) == ["s2"])
  }

  @Test func `R129 a user with a full backlog is refused, and nobody else`() {
    var arrivals = arrivals(perLane: 2)
    #expect(add(4, "s", in: Self.apps(1), &arrivals) == ["s3", "s4"])
    #expect(add(2, "a", in: Self.apps(2), &arrivals) == [])
    #expect(beginPending(at: moment(0), &arrivals) == ["s1", "a1", "s2", "a2"])
  }

  @Test func `R129 at capacity the last of the user with the longest backlog is refused`() {
    var arrivals = arrivals(limit: 4)
    #expect(add(5, "s", in: Self.apps(1), &arrivals) == ["s5"])
    #expect(add(3, "a", in: Self.apps(2), &arrivals) == ["s4", "s3", "a3"], "until both have the same")
    #expect(beginPending(at: moment(0), &arrivals) == ["s1", "a1", "s2", "a2"])
    #expect(arrivals.isEmpty(Self.apps(1)))
  }
}
