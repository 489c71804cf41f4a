import Testing

@testable import BrokerService

/// R129: whose call is begun next.
@Suite struct TurnsTests {
  private final class Waiter {
    let name: String
    let user: UInt32
    /// Calls that were sent and not begun.
    var calls: Int
    init(_ name: String, of user: UInt32, calls: Int = 1) { (self.name, self.user, self.calls) = (name, user, calls) }
  }

  /// Begins calls as the service does: who has more goes behind.
  private func begin(_ count: Int, _ turns: inout Turns<Waiter>) -> [String] {
    var begun: [String] = []
    while begun.count < count, let waiter = turns.next() {
      begun.append(waiter.name)
      waiter.calls -= 1
      if waiter.calls > 0 { turns.add(waiter, of: waiter.user) }
    }
    return begun
  }

  private func ring(_ waiters: [Waiter]) -> Turns<Waiter> {
    var turns = Turns<Waiter>()
    for waiter in waiters { turns.add(waiter, of: waiter.user) }
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
    turns.add(Waiter("edit", of: 3), of: 3)
    #expect(begin(3, &turns).contains("edit"))
  }

  @Test func `R129 one user's connections are begun in turn, and none starves`() {
    var turns = ring([Waiter("a", of: 1, calls: 3), Waiter("b", of: 1, calls: 1), Waiter("c", of: 1, calls: 2)])
    #expect(begin(9, &turns) == ["a", "b", "c", "a", "c", "a"])
  }

  @Test func `R129 one that closed is forgotten, wherever it waited`() {
    let (a, b, c) = (Waiter("a", of: 1), Waiter("b", of: 1), Waiter("c", of: 2))
    var alone = ring([a])
    alone.remove(a, of: 1)
    #expect(alone.isEmpty)
    var several = ring([a, b, c])
    several.remove(a, of: 1)
    #expect(begin(9, &several) == ["b", "c"])
    var last = ring([a, c])
    last.remove(a, of: 1)
    last.remove(a, of: 1)
    #expect(begin(9, &last) == ["c"])
    #expect(last.isEmpty)
  }
}
