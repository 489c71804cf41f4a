import Cleaning
import Testing

struct MessageTests {
  private let plan = CleaningPlan(
    [.init(offset: 3, .fill(0x20, count: 5)), .init(offset: 9, .bytes([0xab, 0]))], byteCount: 20)

  @Test func `answers are read as they were written`() throws {
    let plan = try #require(plan)
    for outcome in [CleaningOutcome.plan(plan)] + Uncleanable.allCases.map(CleaningOutcome.uncleanable) {
      for isLast in [false, true] {
        let bytes = CleaningMessage.answer(outcome, sequence: 7, isLast: isLast)
        let answer = try #require(CleaningMessage.read(bytes, sequence: 7, byteCount: 20))
        #expect(answer.outcome == outcome && answer.isLast == isLast)
      }
    }
    for request in [CleaningMessage.Request.ping(1), .plan(2, .location), .plan(3, [.location, .captions])] {
      #expect(CleaningMessage.Request(Array(request.text.utf8)) == request)
    }
    #expect(CleaningMessage.Request(Array("plan 1 places".utf8)) == .bad)
  }

  @Test(arguments: [
    "", "ok 7", "ok 8\n", "ok 7\nfill 19 2 0\n", "ok 7\nfill 3 0 0\n", "ok 7\nfill 5 2 0\nfill 6 2 0\n",
    "ok 7\nfill 5 2 0\nfill 1 2 0\n", "ok 7\nfill -1 2 0\n", "ok 7\nfill 1 2 256\n", "ok 7\nfill 1 2\n",
    "ok 7\nfill 99999999999999999999 1 0\n", "ok 7\nfill 99999999999999999 99999999999999999 0\n",
    "ok 7\nbytes 1 \n", "ok 7\nbytes 1 abc\n", "ok 7\nbytes 1 GG\n", "ok 7\nbytes 19 abab\n", "ok 7\nmove 1 2\n",
    "ok 7\n\n", "refused 7\n", "refused 7\nreason none\n", "refused 7\nreason damaged\nreason damaged\n", "bad 7\n",
  ])
  func `a nonsense answer is no answer`(text: String) {
    #expect(CleaningMessage.read(Array(text.utf8), sequence: 7, byteCount: 20) == nil)
  }

  @Test func `an answer with too many edits is no answer`() {
    let text = "ok 7\n" + (0...CleaningPlan.editLimit).map { "fill \($0) 1 0\n" }.joined()
    #expect(CleaningMessage.read(Array(text.utf8), sequence: 7, byteCount: 1 << 30) == nil)
  }
}
