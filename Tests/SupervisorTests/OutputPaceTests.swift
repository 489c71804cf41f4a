import Monitor
import Testing

@testable import Supervisor

struct OutputPaceTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)

  @Test func `lines are read at once`() {
    var pace = OutputPace()
    for step in 0..<100 {
      pace.note(1_000, now: start.advanced(by: .milliseconds(step * 10)))
      #expect(pace.pausedUntil == nil)
    }
  }

  @Test func `a flood is read in bursts with pauses`() {
    var pace = OutputPace()
    for _ in 0..<OutputPace.burstBytes / 4_096 { pace.note(4_096, now: start) }
    let end = start.advanced(by: OutputPace.pause)
    #expect(pace.pausedUntil == end)
    pace.resume(now: start)
    #expect(pace.pausedUntil == end)
    pace.resume(now: end)
    #expect(pace.pausedUntil == nil)
    pace.note(4_096, now: end)
    #expect(pace.pausedUntil == nil)
  }
}
