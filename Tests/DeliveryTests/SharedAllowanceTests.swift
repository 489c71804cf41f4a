import Testing

@testable import Delivery

@Suite struct SharedAllowanceTests {
  @Test func `R129 a single user has three quarters, and with others those with a share take half at most`()
    throws
  {
    let memory = SharedAllowance(limit: 80, limitPerUser: 1_000)
    let large = try #require(memory.take(1_000_000, of: 1), "what is larger than all counts as three quarters")
    #expect(memory.take(1, of: 1) == nil)
    let other = try #require(memory.take(20, of: 2))
    #expect(memory.take(1, of: 2) == nil && memory.take(1, of: 3) == nil)
    large.end()
    #expect(other.resize(to: 60), "alone again")
    let third = try #require(memory.take(20, of: 3))
    #expect(!third.resize(to: 21) && other.resize(to: 20) && third.resize(to: 20))
    #expect(third.resize(to: 24) == false, "half of it is for who has none")
    #expect(other.resize(to: 4) && third.resize(to: 36))
  }

  @Test func `released amounts are available to others`() {
    let memory = SharedAllowance(limit: 100, limitPerUser: 50)
    do {
      let share = memory.take(50, of: 1)
      #expect(share != nil && memory.take(1, of: 1) == nil)
      withExtendedLifetime(share) {}
    }
    let again = memory.take(50, of: 1)
    #expect(again != nil)
    again?.end()
    again?.end()
    #expect(memory.take(50, of: 2) != nil, "an end counts once")
  }

  @Test func `a waiting user gets room once another finishes and waits only while wanted`() throws {
    let memory = SharedAllowance(limit: 100, limitPerUser: 50)
    let first = try #require(memory.take(50, of: 1))
    var asked = 0
    let share = try AllowanceOfUser(memory, user: 1).wait(for: 50) { () throws(DeliveryError) in
      asked += 1
      if asked == 2 { first.end() }
    }
    #expect(asked == 2)
    #expect(
      code {
        _ = try AllowanceOfUser(memory, user: 1).wait(for: 1) { () throws(DeliveryError) in throw .timedOut }
      } == .timedOut)
    withExtendedLifetime(share) {}
  }
}
