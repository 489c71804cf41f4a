import PhotoModel
import Testing

@testable import Broker

struct LatestTimeTests {
  private let environment = TestEnvironment()

  /// The time of a broker that starts with the stored time, after `body` changed the clocks.
  private func started(after body: () -> Void) -> Timestamp {
    var before = LatestTime()
    let noted = before.note(environment)
    body()
    var after = LatestTime(noted: noted, environment)
    return after.read(environment)
  }

  @Test func `a start with the clock set back continues from the noted time by the boot clock`() {
    let expected = environment.now.advanced(by: .seconds(10))
    let time = started {
      environment.advance(.seconds(10))
      environment.now = environment.now.advanced(by: .seconds(-86_400))
    }
    #expect(time == expected)
  }

  @Test func `after a reboot at least the machine's uptime has passed`() {
    let expected = environment.now.advanced(by: .seconds(7))
    let time = started {
      environment.monotonic = .seconds(7)
      environment.now = Timestamp(microseconds: 0)
    }
    #expect(time == expected)
  }

  @Test func `a clock ahead of the noted time is trusted, and so is one beside another note`() {
    let expected = environment.now.advanced(by: .seconds(3_600))
    #expect(started { environment.now = expected } == expected)
    for text in ["", "1", "soon 3", "9 9 9"] {
      var time = LatestTime(noted: text, environment)
      #expect(time.read(environment) == environment.now)
    }
  }
}
