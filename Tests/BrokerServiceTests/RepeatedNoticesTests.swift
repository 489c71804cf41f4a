import Testing

@testable import BrokerService

struct RepeatedNoticesTests {
  /// A log, and a clock that is advanced by hand.
  private final class Desk {
    var lines: [String] = []
    var due: [() -> Void] = []
    lazy var notices = RepeatedNotices { [unowned self] in
      lines.append($0)
    } schedule: { [unowned self] in
      due.append($1)
    }

    func passTime() {
      let actions = due
      due = []
      for action in actions { action() }
    }
  }

  @Test func `the first notice of a kind is logged at once, and the number of repetitions a minute later`() {
    let desk = Desk()
    for _ in 0..<5 { desk.notices.note("a call was refused", of: .user(7), ["error": "x y"]) }
    desk.notices.note("a call was refused", of: .user(8), ["error": "x y"])
    #expect(desk.lines == [#"a call was refused uid=7 error="x y""#, #"a call was refused uid=8 error="x y""#])
    #expect(desk.due.count == 1)
    desk.passTime()
    #expect(desk.lines.dropFirst(2) == [#"4 more like it: a call was refused uid=7 error="x y""#])
    // A later one is written again.
    desk.notices.note("a call was refused", of: .user(7), ["error": "x y"])
    #expect(desk.lines.count == 4 && desk.due.count == 1)
  }

  @Test func `simultaneous notices are one line`() {
    let desk = Desk()
    for count in [3, 4] {
      desk.notices.note("a file was skipped", of: .library("main"), ["reason": "cut"], count: count)
    }
    desk.notices.flush()
    #expect(
      desk.lines == [
        "a file was skipped library=main reason=cut count=3",
        "4 more like it: a file was skipped library=main reason=cut",
      ])
  }

  @Test func `one user's many kinds of notices fill neither the log nor another user's lines`() {
    let desk = Desk()
    for number in 0..<10_000 { desk.notices.note("kind \(number)", of: .user(7)) }
    desk.notices.note("kind", of: .user(8))
    #expect(desk.lines.count == RepeatedNotices.kindsPerSubject + 1 && desk.lines.last == "kind uid=8")
    desk.notices.flush()
    #expect(desk.lines.last == "\(10_000 - RepeatedNotices.kindsPerSubject) more of other kinds: uid=7")
    desk.passTime()
    #expect(desk.due.isEmpty)
  }
}
