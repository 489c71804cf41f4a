import Testing

@testable import WebPage

struct KeptAnswerTests {
  private let start = ContinuousClock.now

  @Test func `rarely changing data are requested now and then and not on each update`() {
    var kept = KeptAnswer(now: start)
    #expect(kept.answer(now: start) == nil)
    kept.keep([1], of: kept.turn(now: start))
    #expect(kept.answer(now: start + .milliseconds(400)) == [1] && kept.answer(now: start + KeptAnswer.lifetime) == nil)
    kept.keep([2], of: kept.turn(now: start + KeptAnswer.lifetime))
    #expect(kept.answer(now: start + KeptAnswer.lifetime + .milliseconds(400)) == [2])
  }

  @Test func `data changed by a page are requested at once, and an earlier answer is not kept`() {
    var kept = KeptAnswer(now: start)
    kept.keep([1], of: kept.turn(now: start))
    let before = kept.turn(now: start)
    kept.forget()
    #expect(kept.answer(now: start) == nil)
    kept.keep([1], of: before)
    #expect(kept.answer(now: start) == nil, "it may be older than the change")
    kept.keep([2], of: kept.turn(now: start))
    #expect(kept.answer(now: start) == [2])
  }

  @Test func `an answer that a later request overtook does not replace the later one`() {
    var kept = KeptAnswer(now: start)
    let early = kept.turn(now: start)
    kept.keep([2], of: kept.turn(now: start + .seconds(1)))
    kept.keep([1], of: early)
    #expect(kept.answer(now: start + .seconds(1)) == [2])
  }
}
