import Testing

@testable import BrokerService

/// R129: whose call is begun next.
@Suite struct TurnsTests {
  private final class Waiter {
    let name: String
    let lane: Turns<Waiter>.Lane
    /// Calls that were sent and not begun.
    var calls: Int
    init(_ name: String, of user: UInt32, decides: Bool = false, calls: Int = 1) {
      (self.name, self.calls) = (name, calls)
      lane = .init(user: user, decides: decides)
    }
  }

  /// Begins calls as the service does: who has more goes behind.
  private func begin(_ count: Int, _ turns: inout Turns<Waiter>) -> [String] {
    var begun: [String] = []
    while begun.count < count, let waiter = turns.next() {
      begun.append(waiter.name)
      waiter.calls -= 1
      if waiter.calls > 0 { turns.add(waiter, in: waiter.lane) }
    }
    return begun
  }

  private func ring(_ waiters: [Waiter]) -> Turns<Waiter> {
    var turns = Turns<Waiter>()
    for waiter in waiters { turns.add(waiter, in: waiter.lane) }
    return turns
  }

  @Test func `R129 one that is alone is begun again and again`() {
    var turns = ring([Waiter("a", of: 1, calls: 3)])
    #expect(begin(9, &turns) == ["a", "a", "a"])
    #expect(turns.isEmpty)
    #expect(turns.next() == nil)
  }

  @Test func `R129 one call of each user is begun in turn, however many connections one has`() {
    let flood = (1...75).map { Waiter("s\($0)", of: 1, calls: 64) }
    var turns = ring(flood + [Waiter("edit", of: 2, calls: 2), Waiter("revoke", of: 3)])
    #expect(begin(6, &turns) == ["s1", "edit", "revoke", "s2", "edit", "s3"])
  }

  @Test func `R129 who comes under a flood waits for one call of each user`() {
    var turns = ring((1...75).map { _ in Waiter("s", of: 1, calls: 64) } + [Waiter("t", of: 2, calls: 64)])
    #expect(begin(400, &turns).count == 400)
    let edit = Waiter("edit", of: 3)
    turns.add(edit, in: edit.lane)
    #expect(begin(3, &turns).contains("edit"))
  }

  @Test func `R129 what an owner decides waits for one call of the owner's own apps, on however many connections these call`() {
    var turns = ring((1...75).map { Waiter("a\($0)", of: 1, calls: 64) })
    #expect(begin(2, &turns) == ["a1", "a2"])
    let revoke = Waiter("revoke", of: 1, decides: true)
    turns.add(revoke, in: revoke.lane)
    #expect(begin(2, &turns).contains("revoke"))
  }

  @Test func `R129 one user's connections are begun in turn, and none starves`() {
    var turns = ring([Waiter("a", of: 1, calls: 3), Waiter("b", of: 1, calls: 1), Waiter("c", of: 1, calls: 2)])
    #expect(begin(9, &turns) == ["a", "b", "c", "a", "c", "a"])
  }

  @Test func `R129 one that closed is forgotten, wherever it waited`() {
    let (a, b, c) = (Waiter("a", of: 1), Waiter("b", of: 1), Waiter("c", of: 2))
    var alone = ring([a])
    alone.remove(a, in: a.lane)
    #expect(alone.isEmpty)
    var several = ring([a, b, c])
    several.remove(a, in: a.lane)
    #expect(begin(9, &several) == ["b", "c"])
    var last = ring([a, c])
    last.remove(a, in: a.lane)
    last.remove(a, in: a.lane)
    #expect(begin(9, &last) == ["c"])
    #expect(last.isEmpty)
  }
}
