import Testing

@testable import OwnerCommands

/// Command lines that leave out the name of a request or of a decision.
@Suite struct LeftOutNameTests {
  private let folder: ScratchFolder
  private let second = Samples.prompt.replacing("p1", with: "p2")

  init() throws { folder = try ScratchFolder() }

  private func broker(_ changes: [String: String]) throws -> ScriptedBroker {
    var script = Samples.script
    for (method, reply) in changes { script[method] = .reply(reply) }
    return try ScriptedBroker(in: folder, script)
  }

  @Test func `the only request needs no name`() throws {
    let broker = try broker([:])
    defer { broker.stop() }
    #expect(run("request", "answer", "decline", broker: broker).status == 0)
    #expect(run("deletion", "answer", "decline", broker: broker).status == 0)
    #expect(broker.calls("AnswerPrompt") == [#"{"prompt":"p1","answer":"deny"}"#])
    #expect(broker.calls("AnswerDeletion") == [#"{"deletion":"d1","allow":false}"#])
    let refused = run("request", "answer", "allow", broker: broker, console: .terminal("n"))
    #expect(refused.status == 1 && refused.console.printed.contains { $0.contains("Journal") })
    let redirected = RecordedConsole.terminal("")
    redirected.isTerminal = false
    #expect(run("request", "answer", broker: broker, console: redirected).status == 1)
    #expect(redirected.complaints.first?.contains("Journal") == true, "the request is seen beside the question")
    for word in ["allow", "keep"] {
      #expect(run("request", "answer", word, broker: broker).status == ExitCode.usage.rawValue)
    }
    #expect(run("deletion", "answer", "allow", broker: broker).status == ExitCode.usage.rawValue)
    #expect(broker.calls("AnswerPrompt").count == 1 && broker.calls("AnswerDeletion").count == 1)
  }

  @Test func `of several requests a person at a terminal chooses, and elsewhere they are listed`() throws {
    let broker = try broker(["ListPrompts": #"{"prompts":[\#(Samples.prompt),\#(second)]}"#])
    defer { broker.stop() }
    let listed = run("request", "answer", "decline", broker: broker)
    #expect(listed.status == ExitCode.usage.rawValue && broker.calls("AnswerPrompt").isEmpty)
    #expect(["p1", "p2", "Journal"].allSatisfy { listed.console.complaints.joined().contains($0) })
    #expect(run("request", "answer", "decline", broker: broker, console: .terminal("2")).status == 0)
    #expect(broker.calls("AnswerPrompt") == [#"{"prompt":"p2","answer":"deny"}"#])
    for answer in ["", "0", "3", "x"] {
      #expect(run("request", "answer", "decline", broker: broker, console: .terminal(answer)).status == 1)
    }
    #expect(broker.calls("AnswerPrompt").count == 1)
  }

  @Test func `a person at a terminal is asked for the request and for the answer`() throws {
    let broker = try broker(["ListPrompts": #"{"prompts":[\#(Samples.prompt),\#(second)]}"#])
    defer { broker.stop() }
    let asked = RecordedConsole.terminal("2", "decline")
    // The questions are on standard error, so output may go elsewhere.
    asked.isTerminal = false
    #expect(run("request", "answer", broker: broker, console: asked).status == 0)
    #expect(asked.complaints.count == 3 && asked.complaints[2].hasPrefix("2  p2"))
    #expect(asked.questions.last == "Answer, one of allow, select, decline: ")
    #expect(run("request", "answer", "p1", broker: broker, console: .terminal("al")).status == 0)
    #expect(
      broker.calls("AnswerPrompt") == [#"{"prompt":"p2","answer":"deny"}"#, #"{"prompt":"p1","answer":"allow"}"#])
    for answers in [["1", ""], ["1"], [""], []] {
      let console = RecordedConsole.terminal()
      console.answers = answers
      #expect(run("request", "answer", broker: broker, console: console).status == ExitCode.declined.rawValue)
    }
    #expect(run("request", "answer", "p1", broker: broker, console: .terminal("x")).status == ExitCode.usage.rawValue)
    #expect(run("request", "answer", broker: broker).status == ExitCode.usage.rawValue)
    #expect(broker.calls("AnswerPrompt").count == 2)
    #expect(run("deletion", "answer", broker: broker, console: .terminal("decline")).status == 0)
    #expect(run("deletion", "answer", broker: broker, console: .terminal("")).status == ExitCode.declined.rawValue)
    #expect(broker.calls("AnswerDeletion") == [#"{"deletion":"d1","allow":false}"#])
  }

  @Test func `without a terminal several requests are listed, whatever the answer gives`() throws {
    let broker = try broker(["ListPrompts": #"{"prompts":[\#(Samples.prompt),\#(second)]}"#])
    defer { broker.stop() }
    let listed = run("request", "answer", "allow", broker: broker)
    #expect(listed.status == ExitCode.usage.rawValue)
    #expect(["2 requests wait", "p1", "p2"].allSatisfy { listed.console.complaints.joined().contains($0) })
  }

  @Test func `the only picker needs no name where options choose the assets`() throws {
    let broker = try broker([:])
    defer { broker.stop() }
    #expect(run("picker", "answer", broker: broker).status == ExitCode.usage.rawValue)
    #expect(run("picker", "answer", "--last", "1", broker: broker).status == ExitCode.usage.rawValue)
    #expect(run("picker", "answer", "--last", "1", "--yes", broker: broker).status == 0)
    #expect(run("picker", "decline", broker: broker).status == 0)
    #expect(broker.calls("AnswerPicker").count == 2 && broker.calls("AnswerPicker").allSatisfy { $0.contains("k1") })
  }

  @Test func `nobody is asked where nothing would change`() throws {
    let denied = Samples.grant.replacing("limited", with: "denied")
    let token = #"{"accessor":"acc1","library":"photos","app":"a1","level":"readWrite","minted":1,"revoked":true}"#
    let broker = try broker([
      "ListGrants": #"{"grants":[\#(denied)]}"#, "ListPickerApps": #"{"apps":[]}"#,
      "Revoke": #"{"receipt":\#(Samples.noReceipt),"decisions":[]}"#, "ListTokens": #"{"tokens":[\#(token)]}"#,
    ])
    defer { broker.stop() }
    #expect(run("grant", "revoke", "--app", "a1", broker: broker).console.printed.first?.hasPrefix("Nothing") == true)
    for accessor in ["acc1", String(repeating: "f", count: 32)] {
      #expect(run("token", "revoke", accessor, broker: broker).status == 0, "a broker refuses an unknown one")
    }
    #expect(run("rule", "remove", "photos", "none", broker: broker).status == 0)
    // There is a rule of this name.
    #expect(run("rule", "remove", "photos", "backup", broker: broker).status == ExitCode.usage.rawValue)
    #expect(broker.calls("Revoke").count == 3 && broker.calls("RemoveRule").count == 1)
  }

  @Test func `without a waiting request nothing is answered`() throws {
    let broker = try broker(["ListPrompts": #"{"prompts":[]}"#])
    defer { broker.stop() }
    #expect(run("request", "answer", "decline", broker: broker).status == ExitCode.notFound.rawValue)
    #expect(broker.calls("AnswerPrompt").isEmpty)
  }

  private func decision(
    _ number: Int, by actor: Int = 0, source: String = "prompt", undoes: Int? = nil, undoable: Bool = true
  ) -> String {
    let earlier = undoes.map { #","undoes":\#($0)"# } ?? ""
    return
      #"{"decision":\#(number),"time":1720000000000000,"actor":\#(actor),"role":"owner","source":"\#(source)","origin":"p","action":"allow","before":"denied","after":"limited","undoable":\#(undoable)\#(earlier)}"#
  }

  @Test func `undo without a number takes back the caller's latest decision`() throws {
    let decisions = [
      decision(9, source: "undo", undoes: 8), decision(8), decision(7, by: 1001), decision(6, source: "rule"),
      decision(5, undoable: false), decision(4), decision(3),
    ]
    let broker = try broker(["ListDecisions": #"{"decisions":[\#(decisions.joined(separator: ","))]}"#])
    defer { broker.stop() }
    #expect(run("undo", broker: broker, console: .terminal("n")).status == 1 && broker.calls("UndoDecision").isEmpty)
    #expect(run("undo", broker: broker).status == ExitCode.usage.rawValue && broker.calls("UndoDecision").isEmpty)
    let undone = run("undo", "--yes", broker: broker)
    #expect(undone.status == 0 && broker.calls("UndoDecision") == [#"{"decision":4}"#])
    #expect(undone.console.printed.first?.contains("no access became selected photos") == true)
    #expect(run("undo", "--app", "a1", broker: broker).status == ExitCode.usage.rawValue)
  }

  @Test func `undo without a number says if there is nothing to take back`() throws {
    let broker = try broker(["ListDecisions": #"{"decisions":[\#(decision(1, by: 1001))]}"#])
    defer { broker.stop() }
    #expect(run("undo", broker: broker).status == ExitCode.notFound.rawValue)
    #expect(broker.calls("UndoDecision").isEmpty)
  }
}
