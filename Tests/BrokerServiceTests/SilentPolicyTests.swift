import Testing

@testable import BrokerService

struct SilentPolicyTests {
  @Test
  func
    `R136 a policy that does not answer is asked again after twice as long each time, and at least every five minutes`()
  {
    var policy = SilentPolicy("own", "")
    let pauses = (0..<20).map { _ in
      policy.note("It is away.")
      return policy.pause
    }
    #expect(pauses.prefix(4) == [.seconds(2), .seconds(4), .seconds(8), .seconds(16)])
    #expect(pauses.last == .seconds(300) && pauses == pauses.sorted())
  }
}
