import Monitor
import Testing

@testable import BrokerService

/// The order of turns and their cost (R129).
@Suite struct TurnsTests {
  private final class Waiter {
    let name: String
    let lane: Turns<Waiter>.Lane
    /// Number of turns that it still takes.
    var turns: Int
    /// Nanoseconds of each turn.
    let cost: Int64
    init(_ name: String, of user: UInt32, decides: Bool = false, turns: Int = 1, cost: Int64 = 1) {
      (self.name, self.turns, self.cost) = (name, turns, cost)
      lane = .init(user: user, decides: decides)
    }
  }

  /// A queue with a clock that only turns and tests advance.
  private final class Line {
    private(set) var time: Int64 = 0
    private(set) lazy var turns = Turns<Waiter> { [unowned self] in MonotonicTime(nanoseconds: time) }
    /// Nanoseconds of each user's turns.
    private(set) var taken: [UInt32: Int64] = [:]

    init(_ waiters: [Waiter]) { for waiter in waiters { add(waiter) } }

    func add(_ waiter: Waiter) { turns.add(waiter, in: waiter.lane) }

    func pass(_ nanoseconds: Int64) { time += nanoseconds }

    /// Takes turns as the service does: a waiter with more turns is queued again.
    /// - Parameter meanwhile: Run within each turn.
    func take(_ count: Int, meanwhile: (Waiter) -> Void = { _ in }) -> [String] {
      var names: [String] = []
      while names.count < count, !turns.isEmpty {
        turns.run(for: .zero) { waiter in
          names.append(waiter.name)
          meanwhile(waiter)
          time += waiter.cost
          taken[waiter.lane.user, default: 0] += waiter.cost
          waiter.turns -= 1
          if waiter.turns > 0 { add(waiter) }
        }
      }
      return names
    }
  }

  @Test func `R129 a single user gets every turn`() {
    let line = Line([Waiter("a", of: 1, turns: 3)])
    #expect(line.take(9) == ["a", "a", "a"])
    #expect(line.turns.isEmpty)
    #expect(line.turns.begin() == nil)
  }

  @Test func `R129 users with equal turns alternate, however many connections one has`() {
    let flood = (1...75).map { Waiter("s\($0)", of: 1, turns: 64) }
    let line = Line(flood + [Waiter("edit", of: 2, turns: 2), Waiter("revoke", of: 3)])
    #expect(line.take(6) == ["s1", "edit", "revoke", "s2", "edit", "s3"])
  }

  @Test(arguments: [1, 10, 75])
  func `R129 users get equal time, however long one's turns are and on however many connections`(
    connections: Int
  ) {
    let heavy = (1...connections).map { Waiter("heavy\($0)", of: 1, turns: .max, cost: 1_000) }
    let line = Line(heavy + [Waiter("light", of: 2, turns: .max, cost: 7)])
    _ = line.take(20_000)
    let (first, second) = (line.taken[1, default: 0], line.taken[2, default: 0])
    #expect(abs(first - second) <= 1_000, "\(first) and \(second)")
  }

  @Test func `R129 an occasional caller waits for one long turn at most`() {
    let line = Line((1...10).map { Waiter("heavy\($0)", of: 1, turns: .max, cost: 1_000) })
    var came: Int64?
    var longest: Int64 = 0
    var number = 0
    _ = line.take(5_000) { waiter in
      if waiter.lane.user == 2 {
        longest = max(longest, line.time - (came ?? line.time))
        came = nil
      } else if came == nil {
        number += 1
        // At the beginning of some of the long turns, while none of its own is queued.
        if number % 3 == 0 {
          came = line.time
          line.add(Waiter("light", of: 2, cost: 7))
        }
      }
    }
    #expect(longest == 1_000 && line.taken[2, default: 0] > 7 * 1_000)
  }

  @Test func `R129 a user with one connection and long turns leaves the others equal time`() {
    let line = Line((1...10).map { Waiter("light\($0)", of: 1, turns: .max, cost: 10) })
    var isAway = true
    // It returns as soon as it has its answer, and is then queued beside the others.
    _ = line.take(20_000) { waiter in
      if waiter.lane.user == 2 {
        isAway = true
      } else if isAway {
        isAway = false
        line.add(Waiter("heavy", of: 2, cost: 1_000))
      }
    }
    let (light, heavy) = (line.taken[1, default: 0], line.taken[2, default: 0])
    #expect(abs(light - heavy) <= 2_000, "\(light) and \(heavy)")
  }

  @Test func `R129 nobody accumulates time by being idle`() {
    let line = Line([Waiter("a", of: 1, turns: .max, cost: 10)])
    line.add(Waiter("b", of: 2, cost: 10))
    _ = line.take(1_000)
    line.add(Waiter("b", of: 2, turns: .max, cost: 10))
    let names = line.take(100)
    #expect((49...51).contains(names.count { $0 == "b" }), "\(names)")
  }

  @Test func `R129 time used while nobody else waited is not held against a user`() {
    let line = Line([Waiter("alone", of: 2, cost: 1_000_000)])
    _ = line.take(1)
    for number in 1...75 { line.add(Waiter("a\(number)", of: 1, turns: 64, cost: 10)) }
    line.add(Waiter("revoke", of: 2, decides: false))
    #expect(line.take(2).contains("revoke"))
  }

  @Test func `R129 time charged outside turns is waited for`() {
    let line = Line([Waiter("a", of: 1, turns: .max, cost: 10), Waiter("b", of: 2, turns: .max, cost: 10)])
    line.turns.charge(100, to: .init(user: 1, decides: false))
    let names = line.take(40)
    #expect(names.prefix(11).count { $0 == "b" } >= 10, "\(names)")
    #expect(names.suffix(20).count { $0 == "a" } == 10, "\(names)")
  }

  @Test func `R129 a slice ends with the turn that uses it up`() {
    let line = Line([Waiter("a", of: 1, turns: .max, cost: 10)])
    var count = 0
    line.turns.run(for: .nanoseconds(25)) { waiter in
      count += 1
      line.pass(10)
      line.add(waiter)
    }
    #expect(count == 3)
  }

  @Test
  func `R129 an owner's decision waits for one call of the owner's own apps, on any number of connections`() {
    let line = Line((1...75).map { Waiter("a\($0)", of: 1, turns: 64) })
    #expect(line.take(2) == ["a1", "a2"])
    line.add(Waiter("revoke", of: 1, decides: true))
    #expect(line.take(2).contains("revoke"))
  }

  @Test func `R129 one user's connections take turns, and none starves`() {
    let line = Line([Waiter("a", of: 1, turns: 3), Waiter("b", of: 1), Waiter("c", of: 1, turns: 2)])
    #expect(line.take(9) == ["a", "b", "c", "a", "c", "a"])
  }

  @Test func `R129 no turn begins before the present one ends`() {
    let line = Line([Waiter("a", of: 1), Waiter("b", of: 2)])
    #expect(line.turns.begin()?.name == "a")
    #expect(line.turns.begin() == nil)
    line.turns.finish()
    #expect(line.turns.begin()?.name == "b")
  }

  @Test func `R129 a closed connection is forgotten wherever it waited`() {
    let (a, b, c) = (Waiter("a", of: 1), Waiter("b", of: 1), Waiter("c", of: 2))
    let alone = Line([a])
    alone.turns.remove(a, in: a.lane)
    #expect(alone.turns.isEmpty)
    let several = Line([a, b, c])
    several.turns.remove(a, in: a.lane)
    #expect(several.take(9) == ["b", "c"])
    let last = Line([a, c])
    last.turns.remove(a, in: a.lane)
    last.turns.remove(a, in: a.lane)
    #expect(last.take(9) == ["c"])
    #expect(last.turns.isEmpty)
  }
}
