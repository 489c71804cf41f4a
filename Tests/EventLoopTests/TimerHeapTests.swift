import Monitor
import TestSupport
import Testing

@testable import EventLoop

@Suite struct TimerHeapTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random schedules and cancellations come out sorted, each once`(seed: UInt64) {
    var random = SeededGenerator(seed)
    var heap = TimerHeap()
    var expected: [(deadline: Int64, order: Int, timer: TimerID)] = []
    var fired: [Int] = []
    for order in 0..<2_000 {
      let deadline = Int64.random(in: 0..<500, using: &random)
      let timer = heap.schedule(at: MonotonicTime(nanoseconds: deadline)) { fired.append(order) }
      expected.append((deadline, order, timer))
      if order % 3 == 0 {
        let victim = expected.remove(at: Int.random(in: expected.indices, using: &random))
        #expect(heap.cancel(victim.timer) != nil)
        #expect(heap.cancel(victim.timer) == nil)
      }
    }
    #expect(heap.count == expected.count)
    while let action = heap.takeDue(at: MonotonicTime(nanoseconds: 500)) { action() }
    #expect(fired == expected.sorted { ($0.deadline, $0.order) < ($1.deadline, $1.order) }.map(\.order))
    #expect(heap.isEmpty)
  }

  @Test func `nothing is due early`() {
    var heap = TimerHeap()
    _ = heap.schedule(at: MonotonicTime(nanoseconds: 10)) {}
    #expect(heap.takeDue(at: MonotonicTime(nanoseconds: 9)) == nil)
    #expect(heap.takeDue(at: MonotonicTime(nanoseconds: 10)) != nil)
  }

  @Test func `a timer's name is invalid for its successor`() {
    var heap = TimerHeap()
    let first = heap.schedule(at: MonotonicTime(nanoseconds: 1)) {}
    _ = heap.takeDue(at: MonotonicTime(nanoseconds: 1))
    let second = heap.schedule(at: MonotonicTime(nanoseconds: 2)) {}
    #expect(heap.cancel(first) == nil)
    #expect(heap.cancel(second) != nil)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(-1), .nanoseconds(5)])
  func `any duration can be added to a time`(duration: Duration) {
    let moment = MonotonicTime(nanoseconds: 100)
    #expect(moment.advanced(by: duration) >= (duration < .zero ? MonotonicTime(nanoseconds: 0) : moment))
  }
}
