import Cryptography
import Foundation
import Macaroons
import Testing
import Varlink

@testable import OwnerCommands

/// Commands that ask on a terminal, and need --yes elsewhere.
@Suite struct ConfirmationTests {
  private let folder: ScratchFolder
  private let broker: ScriptedBroker

  init() throws {
    folder = try ScratchFolder()
    broker = try ScriptedBroker(in: folder, Samples.script)
  }

  @Test(arguments: [("decline", true), ("allow", true), ("keep", false), ("pause", false)])
  func `R131 an answer with an effect names its undo`(answer: String, isTold: Bool) {
    defer { broker.stop() }
    let answered = run("request", "answer", "p1", answer, broker: broker)
    #expect(answered.console.everything.contains("To undo it: photobroker undo 7") == isTold)
  }

  @Test func `R146 picked items are shown and confirmed on a terminal`() {
    defer { broker.stop() }
    let preview = run("picker", "answer", "k1", "--last", "1", "--preview", broker: broker)
    #expect(preview.console.printed.last == "1 asset would be given.")
    #expect(
      run("picker", "answer", "k1", "--last", "1", "--preview", "--json", broker: broker).console.printed.count == 1)
    #expect(run("picker", "answer", "k1", "--preview", broker: broker).status == 64)
    #expect(run("picker", "answer", "k1", "--last", "1", broker: broker, console: .terminal("n")).status == 1)
    #expect(broker.calls("AnswerPicker").isEmpty)
    #expect(run("picker", "answer", "k1", "--last", "1", broker: broker, console: .terminal("y")).status == 0)
    #expect(broker.calls("AnswerPicker") == [#"{"picker":"k1","assets":["\#(Samples.identifier)"],"again":[]}"#])
  }

  @Test func `R153 an allowed deletion shows its photos first, and a refused one asks nothing`() {
    defer { broker.stop() }
    let preview = run("deletion", "answer", "d1", "allow", "--preview", broker: broker)
    #expect(preview.console.printed.contains { $0.contains("sea.jpg") } && broker.calls("AnswerDeletion").isEmpty)
    #expect(run("deletion", "answer", "d1", "allow", broker: broker, console: .terminal("n")).status == 1)
    #expect(broker.calls("AnswerDeletion").isEmpty)
    #expect(run("deletion", "answer", "d1", "allow", broker: broker, console: .terminal("y")).status == 0)
    #expect(run("deletion", "answer", "d1", "decline", broker: broker).status == 0)
    #expect(
      broker.calls("AnswerDeletion") == [#"{"deletion":"d1","allow":true}"#, #"{"deletion":"d1","allow":false}"#])
    #expect(run("deletion", "answer", "d9", "allow", "--preview", broker: broker).status == 66)
  }

  @Test func `R82 R84 kept preselected items are shown, and each newly given one is named`() throws {
    var script = Samples.script
    guard case .reply(let pickers) = script["ListPickers"] else { return #expect(Bool(false)) }
    script["ListPickers"] = .reply(
      pickers.replacingOccurrences(of: #""preselected":[]"#, with: #""preselected":["p1","p2"]"#))
    let other = try ScriptedBroker(in: folder, named: "preselected.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    #expect(
      run("picker", "answer", "k1", "new", "p2", "--preselected", "--again", "p1", "--again", "p2", broker: other)
        .status == 0)
    #expect(run("picker", "answer", "k1", "p2", broker: other).status == 0)
    #expect(
      other.calls("AnswerPicker") == [
        #"{"picker":"k1","assets":["p1","p2","new"],"again":["p1","p2"]}"#,
        #"{"picker":"k1","assets":["p2"],"again":[]}"#,
      ])
    #expect(run("picker", "answer", "k9", "--preselected", broker: other).status == 66)
  }

  @Test func `a list of picked items is never truncated`() throws {
    var script = Samples.script
    let page = "[" + Array(repeating: Samples.asset, count: 200).joined(separator: ",") + "]"
    script["FetchOwnedAssets"] = .reply("{\"assets\":\(page),\"total\":1400}")
    let other = try ScriptedBroker(in: folder, named: "many.sock", script)
    script["FetchOwnedAssets"] = .reply("{\"assets\":\(page),\"total\":1401}")
    let large = try ScriptedBroker(in: folder, named: "large.sock", script)
    defer { [broker, other, large].forEach { $0.stop() } }
    #expect(run("picker", "answer", "k1", "--all", broker: other).status == 0)
    #expect(other.calls("AnswerPicker").first?.components(separatedBy: Samples.identifier).count == 1_401)
    #expect(run("picker", "answer", "k1", "--all", broker: large).status == 64)
    #expect(large.calls("AnswerPicker").isEmpty)
  }

  @Test func `R146 --preview changes nothing`() {
    defer { broker.stop() }
    let result = run("grant", "unselect", "photos", "a1", "--last", "1", "--preview", broker: broker)
    #expect(result.status == 0)
    #expect(broker.calls("EditSelection") == [#"{"library":"photos","app":"a1","remove":{"last":1},"preview":true}"#])
  }

  @Test(arguments: ["library remove photos", "app remove a1", "grant revoke --everything", "token revoke acc1"])
  func `removing and revoking ask on a terminal and need --yes elsewhere`(line: String) {
    defer { broker.stop() }
    let words = ["--socket", broker.path] + line.split(separator: " ").map(String.init)
    let ending = ["RemoveLibrary", "RemoveApp", "Revoke"]
    for console in [RecordedConsole(), .terminal("n"), .terminal(""), .terminal()] {
      let status = CommandLineTool.run(words, environment: [:], console: console)
      #expect(status == (console.canAsk ? 1 : 64))
      #expect(!broker.methods.contains { ending.contains($0) })
    }
    let console = RecordedConsole.terminal("y")
    #expect(CommandLineTool.run(words, environment: [:], console: console) == 0)
    #expect(console.questions.count == 1 && console.questions[0].hasSuffix("[y/N] "))
    #expect(console.printed.contains("Stopped. 2 connections lost access, 1 transfer cancelled."))
    #expect(console.printed.contains { $0.contains("3 assets, 12.3 MB") })
  }

  @Test(arguments: [
    ("rule remove photos backup", "RemoveRule"), ("administrator remove 3000", "SetAdministrators"),
    ("library delegate photos --remove-owner 1001", "DelegateLibrary"), ("undo 1", "UndoDecision"),
  ])
  func `revoking rights asks on a terminal`(line: String, method: String) {
    defer { broker.stop() }
    let words = ["--socket", broker.path] + line.split(separator: " ").map(String.init)
    #expect(CommandLineTool.run(words, environment: [:], console: RecordedConsole.terminal("n")) == 1)
    #expect(!broker.methods.contains(method))
    #expect(CommandLineTool.run(words, environment: [:], console: RecordedConsole.terminal("y")) == 0)
    #expect(broker.calls(method).count == 1)
  }

  @Test func `nobody is asked about what cannot be removed`() throws {
    let other = try ScriptedBroker(
      in: folder, named: "absent.sock",
      [
        "ListApps": .reply(#"{"apps":[]}"#), "ListOwnedAlbums": .reply(#"{"albums":[]}"#),
        "ListPlugins": .error("io.photobroker.Admin.NotFound", #"{"what":"plugin","message":"No such plugin."}"#),
        "RemoveApp": .error("io.photobroker.Admin.NotFound", #"{"what":"app","message":"No such app."}"#),
        "EditOwnedAlbum": .error("io.photobroker.Admin.NotFound", #"{"what":"album","message":"No such album."}"#),
      ])
    defer { [broker, other].forEach { $0.stop() } }
    for words in [["app", "remove", "a9"], ["album", "delete", "photos", "Absent"], ["plugin", "remove", "absent"]] {
      let result = runWords(words, broker: other, console: .terminal("n"))
      #expect(result.console.questions.isEmpty && result.status == ExitCode.notFound.rawValue, "\(words)")
    }
    for words in [["app", "remove", "a1"], ["plugin", "remove", "shelf"]] {
      let used = runWords(words, broker: broker, console: .terminal("n"))
      #expect(used.console.questions.count == (words[0] == "app" ? 1 : 0), "\(words): a library uses the plugin")
    }
    #expect(broker.calls("RemoveApp").isEmpty)
  }
}
