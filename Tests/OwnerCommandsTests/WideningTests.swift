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
