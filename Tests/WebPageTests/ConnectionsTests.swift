import Testing

@testable import WebPage

/// Connections of a server that anybody can reach; descriptors are plain numbers here.
struct ConnectionsTests {
  private var connections = Connections()
  private let start = ContinuousClock.now

  /// Opens connections, and returns those closed for them.
  private mutating func open(_ numbers: Range<Int32>, of user: Connections.User) -> [Int32] {
    numbers.flatMap { connections.open($0, of: user, now: start) }
  }

  @Test mutating func `another user's connections replace each other and none of the owner's`() {
    #expect(open(0..<40, of: .owner).isEmpty)
    let limit = Int32(Connections.userLimit)
    #expect(open(100..<100 + limit, of: .other(7)).isEmpty)
    #expect(open(200..<300, of: .other(7)).allSatisfy { $0 >= 100 })
  }

  @Test mutating func `another user's connections are limited per second, and the owner's are not`() {
    func taken(_ count: Int, of user: Connections.User, at now: ContinuousClock.Instant) -> Int {
      (0..<count).count { _ in connections.mayOpen(user, now: now) }
    }
    #expect(taken(1_000, of: .other(7), at: start) == Connections.userLimit)
    #expect(taken(1_000, of: .other(8), at: start) == Connections.userLimit, "each has their own")
    #expect(taken(1_000, of: .unknown, at: start) == Connections.ownerLimit)
    #expect(taken(1_000, of: .owner, at: start) == 1_000)
    #expect(taken(1, of: .other(7), at: start + .milliseconds(999)) == 0)
    #expect(taken(1_000, of: .other(7), at: start + .seconds(1)) == Connections.userLimit)
  }

  @Test mutating func `another user's connections with a secret are not counted, each once`() {
    for connection in Int32(0)..<200 {
      let isTaken = connections.mayOpen(.other(7), now: start)
      #expect(isTaken)
      _ = open(connection..<connection + 1, of: .other(7))
      for _ in 0..<3 { connections.begin(connection, isAdmitted: true, now: start) }
    }
    let more = (0..<1_000).count { _ in connections.mayOpen(.other(7), now: start) }
    #expect(more == Connections.userLimit)
  }

  @Test mutating func `the oldest connection without a secret yields, and one being answered yields last`() {
    #expect(open(0..<64, of: .owner).isEmpty)
    connections.begin(0, isAdmitted: true, now: start)
    connections.begin(1, isAdmitted: false, now: start)
    connections.answer(1)
    #expect(open(64..<67, of: .owner) == [2, 3, 4])
  }

  @Test mutating func `if all have a secret, the new connection is refused`() {
    #expect(open(0..<64, of: .owner).isEmpty)
    for number in Int32(0)..<64 { connections.begin(number, isAdmitted: true, now: start) }
    #expect(open(64..<65, of: .owner) == [64])
  }

  @Test mutating func `many users share the others' places, and the oldest of all yields`() {
    let users = Connections.othersLimit / Connections.userLimit
    for user in 0..<users {
      let first = Int32(user * Connections.userLimit)
      #expect(open(first..<first + Int32(Connections.userLimit), of: .other(UInt32(user))).isEmpty)
    }
    #expect(open(1_000..<1_001, of: .other(99)) == [0])
    #expect(open(2_000..<2_001, of: .owner).isEmpty)
  }

  @Test mutating func `a closed connection frees its place`() {
    #expect(open(0..<64, of: .owner).isEmpty)
    connections.close(5)
    #expect(open(64..<65, of: .owner).isEmpty)
    #expect(open(65..<66, of: .owner) == [0])
  }

  @Test mutating func `a first request has a short time, which excludes the server's own`() {
    let late = start + Connections.patience + .milliseconds(1)
    _ = open(0..<4, of: .owner)
    connections.begin(1, isAdmitted: true, now: start)
    connections.begin(2, isAdmitted: nil, now: start)
    connections.answer(2)
    connections.begin(3, isAdmitted: nil, now: start)
    #expect(connections.expire(now: start + Connections.patience).isEmpty)
    #expect(Set(connections.expire(now: late)) == [0, 3])
    #expect(connections.expire(now: late).isEmpty, "they are ending already")
    connections.end(2, now: late)
    #expect(connections.expire(now: late + Connections.idlePatience).isEmpty, "a browser keeps it for what comes next")
    #expect(connections.expire(now: late + Connections.idlePatience * 2) == [2])
  }

  @Test mutating func `a client with a secret may request files, and is known until it shows a wrong one`() {
    _ = open(0..<2, of: .owner)
    for connection in Int32(0)..<2 {
      connections.begin(connection, isAdmitted: true, now: start)
      connections.begin(connection, isAdmitted: nil, now: start)
    }
    connections.begin(1, isAdmitted: false, now: start)
    #expect(connections.expire(now: start + Connections.idlePatience * 2) == [1])
  }
}
