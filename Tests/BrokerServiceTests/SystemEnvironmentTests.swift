import Testing

@testable import BrokerService

struct SystemEnvironmentTests {
  @Test func `randomness has the requested length, and every byte varies`() {
    let environment = SystemEnvironment()
    for count in [0, 1, 7, 8, 9, 16, 32, 33] { #expect(environment.randomBytes(count).count == count) }
    // One of 33 bytes is the same in 16 answers only once in 10^34 runs.
    let answers = (0..<16).map { _ in environment.randomBytes(33) }
    for place in 0..<33 { #expect(Set(answers.map { $0[place] }).count > 1) }
  }
}
