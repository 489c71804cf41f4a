import Cryptography
import Foundation
import Macaroons
import Testing
import Varlink

@testable import OwnerCommands

/// The apps, users and libraries that a command line names.
@Suite struct NamedAppTests {
  private let folder: ScratchFolder
  private let broker: ScriptedBroker

  init() throws {
    folder = try ScratchFolder()
    broker = try ScriptedBroker(in: folder, Samples.script)
  }

  @Test func `a rule is listed with its selector`() throws {
    let selects =
      #"[{"mediaType":"image","glob":"2024/**","createdFrom":0,"last":3},{"filename":"sea.jpg"},{"favorite":true},{"favorite":false},{"all":true}]"#
    let rule =
      #"{"library":"photos","name":"frames","uid":1000,"level":"readWrite","answer":"select","select":\#(selects)}"#
    let other = try ScriptedBroker(in: folder, named: "rules.sock", ["ListRules": .reply(#"{"rules":[\#(rule)]}"#)])
    defer { [broker, other].forEach { $0.stop() } }
    let text = run("rule", "list", broker: other).console.printed.joined()
    let first = "select images, in 2024/**, from \(Words.moment(0)) on, the last 3"
    #expect(
      text.contains(
        "\(first); or named sea.jpg; or favourites; or no favourites; or everything, see and change for any app of"))
  }

  @Test func `R126 R130 owners and administrators are added to and removed from the present ones`() {
    defer { broker.stop() }
    _ = run("library", "delegate", "photos", "--add-owner", "1002", "--remove-owner", "1001", "--yes", broker: broker)
    #expect(broker.calls("DelegateLibrary") == [#"{"name":"photos","add":[1002],"remove":[1001]}"#])
    _ = run("administrator", "add", "3000,3002", broker: broker)
    _ = run("administrator", "remove", "3000", "--yes", broker: broker)
    #expect(broker.calls("SetAdministrators") == [#"{"administrators":[3000,3002]}"#, #"{"administrators":[]}"#])
    #expect(run("library", "delegate", "photos", broker: broker).status == 64)
  }

  @Test func `R132 pausing takes the same scopes as revoking`() {
    defer { broker.stop() }
    for words in [["--uid", "1000"], ["photos"], ["--level", "add-only"], ["--everything"]] {
      #expect(
        CommandLineTool.run(
          ["--socket", broker.path, "grant", "pause"] + words, environment: [:], console: RecordedConsole()) == 0)
    }
    #expect(
      broker.calls("PauseGrant") == [
        #"{"uid":1000,"paused":true}"#, #"{"library":"photos","paused":true}"#, #"{"level":"addOnly","paused":true}"#,
        #"{"everything":true,"paused":true}"#,
      ])
    #expect(run("grant", "resume", broker: broker).status == 64)
    #expect(run("grant", "resume", "photos", "--everything", broker: broker).status == 64)
  }

  @Test func `an app is named by its manifest's identifier if that is unique`() {
    defer { broker.stop() }
    #expect(run("grant", "pause", "photos", "org.example.journal", broker: broker).status == 0)
    #expect(broker.calls("PauseGrant") == [#"{"library":"photos","app":"a1","paused":true}"#])
    #expect(run("grant", "pause", "photos", "not.listed", broker: broker).status == 0)
    #expect(broker.calls("PauseGrant").last == #"{"library":"photos","app":"not.listed","paused":true}"#)
  }

  @Test(arguments: ["pause", "resume", "revoke --yes"])
  func `a library and an app are named by words or by options, but not both`(verb: String) {
    defer { broker.stop() }
    func run(_ names: String) -> Int32 {
      let words = ["--socket", broker.path, "grant"] + (verb + " " + names).split(separator: " ").map(String.init)
      return CommandLineTool.run(words, environment: [:], console: RecordedConsole())
    }
    let method = verb.hasPrefix("revoke") ? "Revoke" : "PauseGrant"
    for names in [
      "photos org.example.journal", "--library photos --app org.example.journal", "--app org.example.journal",
      "org.example.journal",
    ] {
      #expect(run(names) == 0)
      let library = names.contains("photos") ? #""library":"photos","# : ""
      #expect(broker.calls(method).last?.hasPrefix("{\(library)\"app\":\"a1\"") == true, "\(names)")
    }
    #expect(run("photos --app org.example.journal") == 64 && run("org.example.journal --library photos") == 64)
    #expect(broker.calls(method).count == 4)
  }

  @Test func `an action without effect is not reported as done`() throws {
    var script = Samples.script
    script["PauseGrant"] = .reply(#"{"receipt":\#(Samples.noReceipt),"decisions":[]}"#)
    script["Apply"] = .reply(
      #"{"grants":[{"before":\#(Samples.grant),"after":\#(Samples.grant),"added":0,"removed":0}],"rules":[{"changed":false,"answers":0}],"receipt":\#(Samples.noReceipt),"decisions":[]}"#
    )
    let other = try ScriptedBroker(in: folder, named: "idle.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    let file = try folder.write(
      "same.json",
      #"{"grants":[{"library":"photos","app":"a1","level":"readWrite","status":"limited"}],"rules":[{"library":"photos","name":"backup","uid":1001,"level":"readWrite","answer":"allow"}]}"#
    )
    for line in [["grant", "pause", "--everything"], ["grant", "resume", "--everything"], ["apply", file, "--yes"]] {
      func said(_ broker: ScriptedBroker) -> String {
        let console = RecordedConsole()
        #expect(CommandLineTool.run(["--socket", broker.path] + line, environment: [:], console: console) == 0)
        return console.printed.joined(separator: "\n")
      }
      let pattern = /Paused;|Resumed\.|Applied:/
      #expect(said(broker).contains(pattern) && !said(other).contains(pattern), "\(line)")
    }
  }

  @Test func `an unknown app is distinguished from one without access`() throws {
    var script = Samples.script
    script["ReadLedger"] = .reply(#"{"entries":[],"trimmed":false}"#)
    script["ListDecisions"] = .reply(#"{"decisions":[]}"#)
    script["FetchOwnedAssets"] = .reply(#"{"assets":[],"total":0}"#)
    let other = try ScriptedBroker(in: folder, named: "none.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    let unknown = "org.exmaple.journal"
    for line in [["log", "photos", "--app"], ["decisions", "--app"], ["asset", "list", "photos", "--added-by"]] {
      func run(_ app: String, _ broker: ScriptedBroker) -> Int32 {
        CommandLineTool.run(["--socket", broker.path] + line + [app], environment: [:], console: RecordedConsole())
      }
      #expect(run(unknown, other) == ExitCode.notFound.rawValue, "\(line)")
      #expect(run("org.example.journal", other) == 0, "\(line): known, and there is nothing of it")
      #expect(run(unknown, broker) == 0, "\(line): of one that was removed something is on record")
    }
    #expect(broker.calls("FetchOwnedAssets").last?.contains(#""addedByIdentifier":"org.exmaple.journal""#) == true)
    let older = run("decisions", "photos", "--cursor", "5", broker: other)
    #expect(older.status == 0 && older.console.printed == ["There is nothing older."])
  }

  @Test func `inspecting an app's own token says so`() throws {
    let access =
      #"{"library":"","level":"readWrite","status":"limited","visible":0,"paused":false,"albumPolicy":"none","verbs":[],"limits":{}}"#
    let key = SecretBytes(copying: Array(repeating: 7, count: 32))
    let token = try folder.write(
      "own.token", Macaroon.mint(location: "photobroker", identifier: Array("a1".utf8), key: key).text)
    for (library, isSaid) in [("null", true), (#""photos""#, false)] {
      let other = try ScriptedBroker(
        in: folder, named: "apps-\(isSaid).sock",
        ["Attach": .reply(#"{"app":"a1","library":\#(library),"level":null}"#), "DescribeAccess": .reply(access)])
      defer { other.stop() }
      let console = RecordedConsole()
      #expect(
        CommandLineTool.run(
          ["describe", "access", token, "--app-socket", other.path], environment: [:], console: console) == 0)
      #expect(
        console.printed.joined().contains("only identifies the app") == isSaid,
        "\(console.printed) \(console.complaints)")
    }
    broker.stop()
  }

  @Test func `an unknown library is not asked about`() {
    defer { broker.stop() }
    let result = run("library", "remove", "nolib", broker: broker)
    #expect(
      result.status == ExitCode.notFound.rawValue
        && result.console.complaints.joined().contains("There is no library nolib"))
  }

  @Test func `R138 an identifier claimed by two apps is not guessed`() throws {
    var script = Samples.script
    script["ListApps"] = .reply("{\"apps\":[\(Samples.app),\(Samples.twin)]}")
    let other = try ScriptedBroker(in: folder, named: "two.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    let result = run("grant", "revoke", "--app", "org.example.journal", "--yes", broker: other)
    #expect(result.status == 64)
    let said = result.console.complaints.joined()
    #expect(said.contains("a1") && said.contains("a2") && said.contains("61004"))
    #expect(other.calls("Revoke").isEmpty)
  }

  @Test func `R138 a prompt shows verified facts separately from claims`() {
    defer { broker.stop() }
    let text = run("request", "list", broker: broker).console.printed.joined(separator: "\n")
    #expect(text.contains("calls itself “Journal”; verified: user 61003; a script, which is not verified"))
  }
}
