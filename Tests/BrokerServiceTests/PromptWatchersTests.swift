import Broker
import BrokerInterface
import Monitor
import Testing

@testable import BrokerService

/// Watchers of prompts are told of them, and delay nobody else (R29, R129).
@Suite struct PromptWatchersTests {
  private final class Screen {
    let name: String
    init(_ name: String) { self.name = name }
  }

  /// Watchers with their answers about a state that is only a number.
  private final class Desk {
    private(set) lazy var watchers = PromptWatchers(clock: { MonotonicTime(nanoseconds: 0) }) { [unowned self] in
      pieces.append($0)
    }
    private(set) var pieces: [() -> Bool] = []
    private var screens: [Screen] = []
    var state = 0
    private(set) var told: [String] = []
    /// Screens that cannot be told more for now.
    var full: Set<String> = []

    func watch(_ screen: Screen, of user: UInt32) {
      // Its object identifier must not be reused.
      screens.append(screen)
      watchers.add(screen, owner: user) { [unowned self] in
        if !full.contains(screen.name) { told.append("\(screen.name)\(state)") }
      }
    }

    func change(_ owners: Set<UInt32>) {
      state += 1
      watchers.changed(owners)
    }

    /// Runs one task; false if there was none, or no more is left.
    func goOn() -> Bool {
      guard let piece = pieces.first else { return false }
      if !piece() { pieces.removeFirst() }
      return !pieces.isEmpty
    }

    func takeTold() -> [String] {
      defer { told = [] }
      return told
    }
  }

  @Test func `R153 connections that watch requests, or listed them just now, show them`() {
    var now = MonotonicTime(nanoseconds: 0)
    let watchers = PromptWatchers(clock: { now }) { _ in }
    let (page, other) = (Screen("page"), Screen("other"))
    #expect(!watchers.canShow(to: [1]))
    watchers.noteList(page, owner: 1)
    #expect(watchers.canShow(to: [1, 2]) && !watchers.canShow(to: [2]))
    now = now.advanced(by: .seconds(31))
    #expect(!watchers.canShow(to: [1]), "the page was closed")
    watchers.add(other, owner: 2) {}
    watchers.noteList(page, owner: 1)
    watchers.remove(page)
    #expect(watchers.canShow(to: [2]) && !watchers.canShow(to: [1]))
    watchers.remove(other)
    #expect(!watchers.canShow(to: [2]))
  }

  @Test func `many changes before a watcher's turn are one notification of the latest state`() {
    let desk = Desk()
    let screens = ["a", "b"].map { Screen($0) }
    for screen in screens { desk.watch(screen, of: 1) }
    for _ in 0..<100 { desk.change([1]) }
    #expect(desk.told.isEmpty && desk.pieces.count == 1, "nothing is told inside of what changes it")
    while desk.goOn() {}
    #expect(desk.takeTold().sorted() == ["a100", "b100"])
    desk.change([2])
    #expect(desk.pieces.isEmpty, "nobody watches for them")
    desk.change([1, 2])
    while desk.goOn() {}
    #expect(desk.takeTold().sorted() == ["a102", "b102"])
  }

  @Test func `one watcher is notified at a time, and an earlier one is notified again after a change`() {
    let desk = Desk()
    let screens = ["a", "b", "c"].map { Screen($0) }
    for screen in screens { desk.watch(screen, of: 1) }
    desk.change([1])
    #expect(desk.goOn() && desk.told.count == 1, "the loop does other things before the next one")
    desk.change([1])
    #expect(desk.pieces.count == 1)
    while desk.goOn() {}
    let told = desk.takeTold()
    #expect(told.count == 4 && told.first?.last == "1" && Set(told.dropFirst()) == ["a2", "b2", "c2"])
  }

  @Test func `a user with many watchers delays another one's by one turn`() {
    let desk = Desk()
    let screens = (0..<64).map { _ in Screen("x") }
    for screen in screens { desk.watch(screen, of: 1) }
    let other = Screen("other")
    desk.watch(other, of: 2)
    desk.change([1])
    desk.change([2])
    #expect(desk.goOn() && desk.goOn())
    #expect(desk.takeTold() == ["x2", "other2"])
    for _ in 0..<10 {
      desk.change([1, 2])
      #expect(desk.goOn() && desk.goOn())
      #expect(desk.takeTold().contains { $0.hasPrefix("other") })
    }
  }

  @Test func `a departed watcher is not notified, and a returning one only once`() {
    let desk = Desk()
    let screens = ["a", "b"].map { Screen($0) }
    for screen in screens { desk.watch(screen, of: 1) }
    desk.change([1])
    desk.watchers.remove(screens[0])
    desk.watchers.remove(screens[0])
    desk.watch(screens[1], of: 2)
    desk.change([2])
    while desk.goOn() {}
    #expect(desk.takeTold() == ["b2"])
    desk.watchers.remove(screens[1])
    desk.change([1, 2])
    #expect(desk.pieces.isEmpty && desk.told.isEmpty)
    desk.watchers.tellAgain(screens[1])
    #expect(desk.pieces.isEmpty)
  }

  @Test func `an unreachable watcher is notified later of the state at that time`() {
    let desk = Desk()
    let screen = Screen("slow")
    desk.watch(screen, of: 1)
    desk.full = ["slow"]
    desk.change([1])
    while desk.goOn() {}
    #expect(desk.told.isEmpty)
    desk.state = 7
    desk.full = []
    desk.watchers.tellAgain(screen)
    desk.watchers.tellAgain(screen)
    #expect(desk.told.isEmpty, "not before it is its turn")
    while desk.goOn() {}
    #expect(desk.takeTold() == ["slow7"])
  }

  @Test func `a shared notification is computed once until a change`() {
    var made = 0
    var pieces: [() -> Bool] = []
    var cursors: [String?] = []
    let watchers = PromptWatchers(clock: { MonotonicTime(nanoseconds: 0) }) { pieces.append($0) }
    let question = AppIdentifier(high: 1, low: 1)
    var questions: [AppIdentifier] = [question]
    func tell(_ language: String?, of user: UInt32) {
      let inputs = PromptWatchers.Inputs(languages: .init(language), cursor: nil, questions: questions)
      let reply = try? watchers.reply(showing: inputs, to: user) { () throws(CallFailure) in
        made += 1
        return Admin.ListPrompts.Reply(prompts: [], cursor: "\(made)")
      }
      cursors.append(reply?.cursor)
    }
    func tellOne() { _ = pieces[0]() }
    func tellAll() {
      while let piece = pieces.first { if !piece() { pieces.removeFirst() } }
    }
    func takeCursors() -> [String?] {
      defer { cursors = [] }
      return cursors
    }
    let screens = (0..<4).map { Screen("\($0)") }
    for screen in screens { watchers.add(screen, owner: 1) { tell("de", of: 1) } }
    let others = (0..<4).map { Screen("\($0)") }
    for other in others { watchers.add(other, owner: 2) { tell("de", of: 2) } }
    watchers.changed([1, 2])
    tellAll()
    #expect(made == 2 && takeCursors() == ["1", "2", "1", "2", "1", "2", "1", "2"], "one for each user")
    watchers.changed([1])
    tellAll()
    #expect(made == 3 && takeCursors() == ["3", "3", "3", "3"])
    watchers.changed([1])
    tellOne()
    // A prompt that somebody may no longer see disappears without a notice.
    questions = []
    tellAll()
    #expect(made == 5 && takeCursors() == ["4", "5", "5", "5"])
    watchers.changed([1])
    tellOne()
    watchers.changed([3])
    tellAll()
    #expect(made == 7 && takeCursors() == ["6", "7", "7", "7"])
    watchers.add(screens[0], owner: 1) { tell("fr", of: 1) }
    watchers.changed([1])
    tellAll()
    #expect(made >= 9, "in other languages it is not the same")
    withExtendedLifetime((screens, others)) {}
  }
}
