import Testing

@testable import BrokerService

@Suite struct HeldBytesTests {
  @Test func `one byte over a user's limit is refused, and returned bytes do not count`() {
    var held = HeldBytes(limit: 1_000, limitPerUser: 10)
    let steps = [
      held.count(6, of: 1), held.count(4, of: 1), held.count(1, of: 1), held.count(-2, of: 1), held.count(1, of: 1),
    ]
    #expect(steps == [nil, nil, 1, nil, nil])
  }

  @Test func `users' bytes are counted separately`() {
    var held = HeldBytes(limit: 1_000, limitPerUser: 10)
    let steps = [held.count(10, of: 1), held.count(10, of: 2), held.count(1, of: 2)]
    #expect(steps == [nil, nil, 2])
  }

  @Test func `R129 if all users together exceed the limit, the largest holder yields`() {
    var held = HeldBytes(limit: 20, limitPerUser: 10)
    let steps = [
      held.count(9, of: 1), held.count(8, of: 2), held.count(3, of: 3), held.count(1, of: 4), held.count(-9, of: 1),
    ]
    #expect(steps == [nil, nil, nil, 1, nil])
    let later = [held.count(1, of: 4), held.count(-5, of: 3), held.count(9, of: 5)]
    #expect(later == [nil, nil, nil], "no more is given back than was held")
  }
}
