import Monitor
import Supervisor
import Testing

struct CircuitBreakerTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  private func policy() -> RestartPolicy {
    var policy = RestartPolicy()
    policy.firstPause = .milliseconds(100)
    policy.longestPause = .milliseconds(300)
    policy.failureLimit = 4
    policy.window = .seconds(10)
    policy.coolDown = .seconds(30)
    return policy
  }

  private func at(_ milliseconds: Int) -> MonotonicTime { start.advanced(by: .milliseconds(milliseconds)) }

  @Test func `pauses double up to the maximum, and a success resets them`() {
    var breaker = CircuitBreaker(policy())
    #expect(breaker.decide(now: at(0)) == .go)
    breaker.recordFailure("x", now: at(0))
    #expect(breaker.decide(now: at(0)) == .wait(at(100)))
    #expect(breaker.decide(now: at(100)) == .go)
    breaker.recordFailure("x", now: at(100))
    #expect(breaker.decide(now: at(100)) == .wait(at(300)))
    breaker.recordFailure("x", now: at(300))
    #expect(breaker.decide(now: at(300)) == .wait(at(600)))
    breaker.recordSuccess()
    #expect(breaker.decide(now: at(300)) == .go)
    breaker.recordFailure("x", now: at(20_000))
    #expect(breaker.decide(now: at(20_000)) == .wait(at(20_100)))
  }

  @Test func `too many failures in the window open the circuit, and old ones do not count`() {
    var breaker = CircuitBreaker(policy())
    for moment in [0, 4000, 8000, 12_000, 16_000] { breaker.recordFailure("x", now: at(moment)) }
    #expect(!breaker.isOpen)
    breaker.recordFailure("why", now: at(16_500))
    #expect(breaker.isOpen)
    #expect(breaker.reason == "why")
    #expect(breaker.decide(now: at(20_000)) == .refuse(at(46_500)))
  }

  @Test func `after the cool-down one attempt decides`() {
    var breaker = CircuitBreaker(policy())
    for _ in 0..<4 { breaker.recordFailure("x", now: at(0)) }
    #expect(breaker.decide(now: at(29_999)) == .refuse(at(30_000)))
    #expect(breaker.decide(now: at(30_000)) == .go)
    breaker.recordFailure("x", now: at(30_000))
    #expect(breaker.decide(now: at(30_001)) == .refuse(at(60_000)))
    #expect(breaker.decide(now: at(60_000)) == .go)
    breaker.recordSuccess()
    #expect(!breaker.isOpen)
    #expect(breaker.decide(now: at(60_000)) == .go)
  }

  @Test func `a spread lengthens each pause and cool-down, and no limit`() {
    var breaker = CircuitBreaker(policy(), spread: 0.25)
    breaker.recordFailure("x", now: at(0))
    #expect(breaker.decide(now: at(0)) == .wait(at(125)))
    for moment in [200, 600] { breaker.recordFailure("x", now: at(moment)) }
    #expect(breaker.decide(now: at(600)) == .wait(at(975)))
    breaker.recordFailure("x", now: at(1_000))
    #expect(breaker.decide(now: at(1_000)) == .refuse(at(38_500)))
  }

  @Test func `a thousand failures and absurd durations do not trap`() {
    var absurd = policy()
    absurd.longestPause = .seconds(Int64.max / 4)
    absurd.failureLimit = 100_000
    absurd.coolDown = .seconds(Int64.max)
    var breaker = CircuitBreaker(absurd)
    for _ in 0..<1000 { breaker.recordFailure("x", now: start) }
    if case .go = breaker.decide(now: start) { Issue.record("no pause") }
  }
}
