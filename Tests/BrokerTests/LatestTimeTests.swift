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

  @Test func `a start with a clock that was set back goes on from what was noted, by the clock that nobody can set`() {
    let expected = environment.now.advanced(by: .seconds(10))
    let time = started {
      environment.advance(.seconds(10))
      environment.now = environment.now.advanced(by: .seconds(-86_400))
    }
    #expect(time == expected)
  }

  @Test func `where the machine started anew, what it has been on for has passed at least`() {
    let expected = environment.now.advanced(by: .seconds(7))
    let time = started {
      environment.monotonic = .seconds(7)
      environment.now = Timestamp(microseconds: 0)
    }
    #expect(time == expected)
  }

  @Test func `a clock that is ahead of what was noted is believed, and so is the clock where something else was noted`()
  {
    let expected = environment.now.advanced(by: .seconds(3_600))
    #expect(started { environment.now = expected } == expected)
    for text in ["", "1", "soon 3", "9 9 9"] {
      var time = LatestTime(noted: text, environment)
      #expect(time.read(environment) == environment.now)
    }
  }
}
