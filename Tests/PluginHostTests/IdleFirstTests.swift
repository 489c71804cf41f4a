import Foundation
import Monitor
import Testing

@testable import PluginHost

@Suite struct IdleFirstTests {
  private func taken<Element>(_ all: IdleFirst<Element>) -> (element: Element, place: Int)? {
    all.take(until: .now) { true }
  }

  @Test func `every caller gets the first idle process, and a stuck one blocks nobody`() throws {
    let all = IdleFirst(["a", "b", "c"])
    #expect(taken(all)?.element == "a")
    let second = try #require(taken(all))
    #expect(second.element == "b")
    all.giveBack(second.place)
    for _ in 0..<3 {
      let next = try #require(taken(all))
      #expect(next.element == "b")
      all.giveBack(next.place)
    }
    #expect(["b", "c", nil] == (0..<3).map { _ in taken(all)?.element })
  }

  @Test func `a failed process is idle at once and not everybody's next choice`() {
    let all = IdleFirst(["refuses", "fails", "works", "works too"]) { element in
      switch element {
      case "refuses": .refusing
      case "fails": .failing
      default: .well
      }
    }
    #expect(
      ["works", "works too", "fails", nil] == (0..<4).map { _ in taken(all)?.element },
      "one at work is worth waiting for")
    for place in 1..<4 { all.giveBack(place) }
    #expect(["works", "works too", "fails", nil] == (0..<4).map { _ in taken(all)?.element })
  }

  @Test func `if all refuse, every caller gets one at once`() {
    let all = IdleFirst([1, 2]) { _ in .refusing }
    #expect([1, 2, nil] == (0..<3).map { _ in taken(all)?.element })
  }

  @Test func `a waiting caller gets a returned process`() throws {
    let all = IdleFirst(["a"])
    let held = try #require(taken(all))
    let got = Monitor<String?>(nil)
    Thread.detachNewThread {
      let element = all.take(until: .after(.seconds(60))) { true }?.element
      got.change { $0 = element ?? "nothing" }
    }
    all.giveBack(held.place)
    #expect(got.wait(until: .after(.seconds(60))) { $0 } == "a")
  }

  @Test func `R129 nobody waits for an unwanted process, however many callers begin and cancel`() {
    let all = IdleFirst([0, 1, 2, 3])
    for _ in 0..<4 { _ = taken(all) }
    let (asked, ended) = (Monitor(0), Monitor<[Bool]>([]))
    for _ in 0..<50 {
      Thread.detachNewThread {
        let found = all.take(until: .after(.seconds(6 * 3_600))) {
          // Each wait is cancelled after a while.
          asked.change { asked in
            asked += 1
            return asked < 100
          }
        }
        ended.change { $0.append(found == nil) }
      }
    }
    #expect(ended.wait(until: .after(.seconds(60))) { $0.count == 50 ? $0 : nil } == [Bool](repeating: true, count: 50))
    for place in 0..<4 { all.giveBack(place) }
    #expect([0, 1, 2, 3] == (0..<4).map { _ in taken(all)?.element })
  }
}
