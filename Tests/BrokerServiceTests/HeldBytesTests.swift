import Testing

@testable import BrokerService

@Suite struct HeldBytesTests {
  @Test func `one byte over what a user may hold is too much, and what was given back does not count`() {
    var held = HeldBytes(limit: 10)
    let steps = [held.count(6, of: 1), held.count(4, of: 1), held.count(1, of: 1), held.count(-2, of: 1), held.count(1, of: 1)]
    #expect(steps == [false, false, true, false, false])
  }

  @Test func `users do not hold each other's bytes`() {
    var held = HeldBytes(limit: 10)
    let steps = [held.count(10, of: 1), held.count(10, of: 2), held.count(1, of: 2)]
    #expect(steps == [false, false, true])
  }
}
