import Testing

@testable import PluginHost

@Suite struct IdleFirstTests {
  @Test func `whoever comes gets the first that is idle, and what is stuck keeps nobody waiting`() {
    let all = IdleFirst(["a", "b", "c"])
    #expect(all.take().element == "a")
    let second = all.take()
    #expect(second.element == "b")
    all.giveBack(second.place)
    // The first is stuck.
    for _ in 0..<3 {
      let next = all.take()
      #expect(next.element == "b")
      all.giveBack(next.place)
    }
    #expect(["b", "c", "a"] == (0..<3).map { _ in all.take().element })
  }
}
