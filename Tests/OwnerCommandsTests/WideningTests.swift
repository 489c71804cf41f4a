import Testing

@testable import OwnerCommands

/// Decisions that show an app many more photos, and decisions that change nothing.
@Suite struct WideningTests {
  private let folder: ScratchFolder
  private let broker: ScriptedBroker
  private let file: String

  init() throws {
    folder = try ScratchFolder()
    var script = Samples.script
    script["ListLibraries"] = .reply(#"{"libraries":[\#(Samples.info(assets: 5000))]}"#)
    script["FetchOwnedAssets"] = .reply(#"{"assets":[\#(Samples.asset)],"total":5000}"#)
    script["EditSelection"] = .reply(Samples.edit.replacing(#""added":1"#, with: #""added":5000"#))
    if case .reply(let applied) = script["Apply"] {
      script["Apply"] = .reply(applied.replacing(#""added":3"#, with: #""added":5000"#))
    }
    broker = try ScriptedBroker(in: folder, script)
    file = try folder.write(
      "decisions.json", #"{"grants":[{"library":"photos","app":"a1","level":"readWrite","select":[{"all":true}]}]}"#)
  }

  private func run(_ line: String, _ console: RecordedConsole = RecordedConsole(), other: ScriptedBroker? = nil)
    -> (status: Int32, console: RecordedConsole)
  {
    let words = line.split(separator: " ").map { $0 == "FILE" ? file : String($0) }
    let all = ["--socket", (other ?? broker).path] + words
    return (CommandLineTool.run(all, environment: [:], console: console), console)
  }

  @Test(arguments: [
    ("grant select photos a1 --all", "EditSelection"), ("grant level photos a1 see-and-change full-access", "SetGrant"),
    ("request answer p1 allow", "AnswerPrompt"), ("request answer p1 select --all", "AnswerPrompt"),
    ("apply FILE", "Apply"),
  ])
  func `more than 1,000 further photos are confirmed on a terminal and need --yes elsewhere`(
    line: String, method: String
  ) {
    defer { broker.stop() }
    var changes: [String] { broker.calls(method).filter { !$0.contains(#""preview":true"#) } }
    for console in [RecordedConsole(), .terminal("n")] {
      let refused = run(line, console)
      #expect(refused.status == (console.canAsk ? 1 : 64) && changes.isEmpty)
      #expect(console.canAsk || console.complaints.joined().contains("Add --yes"))
    }
    let asked = run(line, .terminal("y"))
    #expect(asked.status == 0 && asked.console.questions.count == 1 && changes.count == 1)
    #expect(run(line + " --yes").status == 0 && changes.count == 2)
  }

  @Test(arguments: [
    ("grant select photos a1 --last 1000", "EditSelection"),
    ("grant level photos a1 see-and-change no-access", "SetGrant"),
    ("grant unselect photos a1 --all", "EditSelection"), ("request answer p1 decline", "AnswerPrompt"),
    ("request answer p1 select --last 1000", "AnswerPrompt"),
    ("grant level photos a1 add-only full-access", "SetGrant"),
  ])
  func `fewer photos and other decisions are not asked about`(line: String, method: String) {
    defer { broker.stop() }
    #expect(run(line).status == 0 && broker.calls(method).count == 1)
  }

  /// Replies of a broker whose library has 5,000 photos, with other grants and another decision.
  private func script(grants: String, decision: String = "{}") -> [String: ScriptedBroker.Scripted] {
    var script = Samples.script
    script["ListLibraries"] = .reply(#"{"libraries":[\#(Samples.info(assets: 5000))]}"#)
    script["ListGrants"] = .reply(#"{"grants":[\#(grants)]}"#)
    script["FetchOwnedAssets"] = .reply(#"{"assets":[],"total":1500}"#)
    script["ListDecisions"] = .reply(#"{"decisions":[\#(decision)],"cursor":null}"#)
    script["Apply"] = .reply(
      #"{"grants":[],"rules":[{"changed":true,"answers":1}],"receipt":\#(Samples.noReceipt),"decisions":[7],"outcome":"o"}"#
    )
    return script
  }

  private static func grant(_ status: String, selected: Int = 0, visible: Int = 0, paused: Bool = false) -> String {
    Samples.grant.replacing(
      #""limited","selected":3,"visible":3,"paused":false"#,
      with: #""\#(status)","selected":\#(selected),"visible":\#(visible),"paused":\#(paused)"#)
  }

  private static func decision(_ action: String, _ before: String, _ after: String, app: String? = "a1") -> String {
    #"{"decision":1,"time":1,"actor":0,"role":"owner","source":"prompt","origin":"photobroker","action":"\#(action)","library":"photos","app":\#(app.map { "\"\($0)\"" } ?? "null"),"identifier":"org.example.journal","level":"readWrite","before":"\#(before)","after":"\#(after)","undoable":true}"#
  }

  private static func rule(_ answer: String) -> String {
    #"{"rules":[{"library":"photos","name":"all","identifier":"org.example.journal","uid":1,"level":"readWrite","answer":"\#(answer)","select":[{"favorite":true}]}]}"#
  }

  /// One change, and the number of the question; nil where nobody is asked.
  struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    let method: String
    var grants: String = ""
    var decision = "{}"
    var file = "{}"
    let asked: Int?

    var testDescription: String { "\(line): \(grants) \(decision) \(file)" }
  }

  static let cases = [
    Case(line: "grant resume photos", method: "PauseGrant", grants: grant("authorized", paused: true), asked: 5000),
    Case(
      line: "grant resume --uid 61003", method: "PauseGrant", grants: grant("authorized", paused: true), asked: 5000),
    Case(line: "grant resume --uid 61009", method: "PauseGrant", grants: grant("authorized", paused: true), asked: nil),
    Case(
      line: "grant resume --level add-only", method: "PauseGrant", grants: grant("authorized", paused: true), asked: nil
    ),
    Case(
      line: "grant resume a1", method: "PauseGrant", grants: grant("limited", selected: 1001, paused: true), asked: 1001
    ),
    Case(
      line: "grant resume a1", method: "PauseGrant", grants: grant("limited", selected: 1000, paused: true), asked: nil),
    Case(line: "grant resume a1", method: "PauseGrant", grants: grant("authorized"), asked: nil),
    Case(line: "grant pause a1", method: "PauseGrant", grants: grant("authorized"), asked: nil),
    Case(
      line: "undo 1", method: "UndoDecision", decision: decision("revoke", "authorized", "denied"), asked: 5000),
    Case(
      line: "undo 1", method: "UndoDecision", grants: grant("authorized", visible: 4500),
      decision: decision("allow", "authorized, read-only", "authorized"), asked: nil),
    Case(
      line: "undo 1", method: "UndoDecision", grants: grant("authorized", visible: 5000),
      decision: decision("allow", "limited, 3000 selected", "authorized"), asked: nil),
    Case(
      line: "undo 1", method: "UndoDecision",
      decision: decision("pause", "limited, 3000 selected", "limited, 3000 selected, paused"),
      asked: 3000),
    Case(
      line: "undo 1", method: "UndoDecision", grants: grant("limited", selected: 3000, visible: 3000),
      decision: decision("terms", "limited, 3000 selected", "limited, 3000 selected, read-only"), asked: nil),
    Case(
      line: "undo 1", method: "UndoDecision", grants: grant("limited", selected: 3000, visible: 3000),
      decision: decision("select", "limited, 3000 selected", "limited, 3000 selected"), asked: 3000),
    Case(
      line: "undo 1", method: "UndoDecision", grants: grant("limited", selected: 3, visible: 3),
      decision: decision("select", "limited, 3 selected, live", "limited, 3 selected"), asked: 4997),
    Case(
      line: "undo 1", method: "UndoDecision", decision: decision("allow", "notDetermined", "authorized"), asked: nil),
    Case(
      line: "undo 1", method: "UndoDecision",
      decision: decision("rename", "called authorized, 3000 selected", "called x"),
      asked: nil),
    Case(
      line: "undo 1", method: "UndoDecision", grants: grant("authorized", visible: 3500),
      decision: decision("mark", "1500 shown", "1500 hidden", app: nil), asked: 1500),
    Case(
      line: "undo 1", method: "UndoDecision", grants: grant("limited", selected: 1400, visible: 1),
      decision: decision("mark", "1400 shown, 100 shareable", "1400 hidden, 100 never shared", app: nil), asked: 1399),
    Case(
      line: "undo 1", method: "UndoDecision", grants: grant("authorized"),
      decision: decision("mark", "1500 hidden", "1500 shown", app: nil), asked: nil),
    Case(
      line: "undo 1", method: "UndoDecision",
      decision: decision("removeRule", "all: allow readWrite for any app of user 61003, for 60 s", "", app: nil),
      asked: 5000),
    Case(
      line: "undo 1", method: "UndoDecision",
      decision: decision("rule", "all: select readWrite for org.example.journal of user 61003", "", app: nil),
      asked: 5000),
    Case(
      line: "undo 1", method: "UndoDecision",
      decision: decision("removeRule", "all: allow readWrite for any app of user 61009", "", app: nil), asked: nil),
    Case(
      line: "undo 1", method: "UndoDecision",
      decision: decision("removeRule", "all: deny readWrite for any app of user 61003", "", app: nil), asked: nil),
    Case(
      line: "asset mark photos --all --no-hidden", method: "MarkAssets", grants: grant("authorized", visible: 3500),
      asked: 1500),
    Case(
      line: "asset mark photos --all --no-hidden --no-never-share", method: "MarkAssets",
      grants: grant("authorized", visible: 3500), asked: 3000),
    Case(
      line: "asset mark photos --all --no-never-share", method: "MarkAssets",
      grants: grant("limited", selected: 1600, visible: 700), asked: nil),
    Case(
      line: "asset mark photos --all --no-hidden", method: "MarkAssets", grants: grant("authorized", paused: true),
      asked: nil),
    Case(line: "asset mark photos --all --no-hidden", method: "MarkAssets", grants: grant("denied"), asked: nil),
    Case(
      line: "asset mark photos --all --no-hidden --never-share", method: "MarkAssets", grants: grant("authorized"),
      asked: nil),
    Case(line: "asset mark photos --all --hidden", method: "MarkAssets", grants: grant("authorized"), asked: nil),
    Case(line: "apply FILE", method: "Apply", file: rule("allow"), asked: 5000),
    Case(line: "apply FILE", method: "Apply", file: rule("select"), asked: 1500),
    Case(line: "apply FILE", method: "Apply", file: rule("decline"), asked: nil),
  ]

  @Test(arguments: cases)
  func `resuming, undoing, clearing a mark and a rule may show many photos, which is asked first`(
    _ change: Case
  ) throws {
    defer { broker.stop() }
    let other = try ScriptedBroker(
      in: folder, named: "other.sock", script(grants: change.grants, decision: change.decision))
    defer { other.stop() }
    let line = change.line.replacing("FILE", with: try folder.write("rules.json", change.file))
    var changes: Int { other.calls(change.method).count { !$0.contains(#""preview":true"#) } }
    let refused = run(line, other: other)
    #expect(refused.status == (change.asked == nil ? 0 : 64) && changes == (change.asked == nil ? 1 : 0))
    guard let count = change.asked else { return }
    let complaint = refused.console.complaints.joined()
    #expect(
      complaint.contains("Let org.example.journal see up to \(count) more photos? ") && complaint.contains("--yes"))
    let asked = run(line, .terminal("n"), other: other)
    #expect(asked.status == 1 && asked.console.questions.count == 1 && changes == 0)
    #expect(run(line + " --yes", other: other).status == 0 && changes == 1)
  }

  @Test func `of many apps the question names three`() throws {
    defer { broker.stop() }
    let grants = (1...5).map { number in
      Self.grant("limited", selected: 1000 + number, paused: true).replacing("journal", with: "journal\(number)")
    }
    let other = try ScriptedBroker(in: folder, named: "many.sock", script(grants: grants.joined(separator: ",")))
    defer { other.stop() }
    let asked = run("grant resume --everything", .terminal("y"), other: other)
    #expect(asked.status == 0)
    let named = (1...3).map { "org.example.journal\($0)" }.joined(separator: ", ")
    #expect(
      asked.console.questions == ["Let \(named) and 2 other apps see up to 1005 more photos each? [y/N] "])
  }

  @Test(arguments: [
    "apply FILE", "administrator remove 4000", "library delegate photos --remove-owner 4000",
  ])
  func `nothing is asked where nothing changes`(line: String) throws {
    defer { broker.stop() }
    var script = Samples.script
    script["Apply"] = .reply(
      #"{"grants":[{"before":\#(Samples.grant),"after":\#(Samples.grant),"added":0,"removed":0}],"rules":[],"receipt":\#(Samples.noReceipt),"decisions":[]}"#
    )
    let other = try ScriptedBroker(in: folder, named: "idle.sock", script)
    defer { other.stop() }
    let result = run(line, .terminal(), other: other)
    #expect(result.status == 0 && result.console.questions.isEmpty)
  }
}
