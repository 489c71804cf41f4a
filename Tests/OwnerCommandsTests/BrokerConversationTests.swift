import Cryptography
import Foundation
import Macaroons
import Testing
import Varlink

@testable import OwnerCommands

@Suite struct BrokerConversationTests {
  private let folder: ScratchFolder
  private let broker: ScriptedBroker

  init() throws {
    folder = try ScratchFolder()
    broker = try ScriptedBroker(in: folder, Samples.script)
  }

  /// A command line for every command that calls the broker, with its last method.
  static let lines: [(String, String)] = [
    ("status", "GetStatus"), ("library list", "ListLibraries"), ("library show photos", "WatchLibrary"),
    ("library rescan photos", "RescanLibrary"), ("library offer photos 1000,1001", "OfferLibrary"),
    ("library offer photos --add 1000 --remove 1001", "OfferLibrary"), ("library offers", "ListOffers"),
    ("library decline photos", "AnswerOffer"), ("library accept photos", "AnswerOffer"),
    ("library decline --from 1001", "AnswerOffers"), ("library accept --from 1001", "AnswerOffers"),
    ("library remove photos --yes", "RemoveLibrary"), ("app list", "ListApps"), ("app remove a1 --yes", "RemoveApp"),
    ("deletion list", "ListDeletions"), ("deletion answer d1 decline", "AnswerDeletion"),
    ("grant list", "ListGrants"), ("grant show photos a1", "ListGrants"),
    ("grant level photos a1 see-and-change selected-photos", "SetGrant"),
    ("grant expire photos a1 +30d", "SetGrant"), ("grant policy photos a1 none", "SetGrant"),
    ("grant policy photos a1 shared-read", "SetGrant"), ("grant policy photos a1 family-albums", "SetGrant"),
    ("grant select photos a1 --all", "EditSelection"), ("grant unselect photos a1 --last 2", "EditSelection"),
    ("grant pause photos a1", "PauseGrant"), ("grant resume photos a1", "PauseGrant"),
    ("grant revoke --app a1 --yes", "Revoke"),
    ("asset mark photos --all --never-share", "MarkAssets"), ("request list", "ListPrompts"),
    ("request wait", "ListPrompts"),
    ("request answer p1 select --last 3", "AnswerPrompt"), ("token list", "ListTokens"),
    ("token revoke acc1 --yes", "Revoke"),
    ("log photos --since -7d --cursor 9", "ReadLedger"), ("decisions photos --app a1", "ListDecisions"),
    ("undo 1", "UndoDecision"), ("rule list", "ListRules"), ("rule remove photos backup --yes", "RemoveRule"),
    ("library delegate photos --add-owner 1002 --administrators-see no", "DelegateLibrary"),
    ("administrator list", "ListAdministrators"), ("administrator add 3002", "SetAdministrators"),
    ("administrator remove 3000 --yes", "SetAdministrators"), ("grant pause --everything", "PauseGrant"),
    ("plugin list", "ListPlugins"), ("plugin inspect shelf", "ListPlugins"),
    ("plugin enable shelf", "SetPluginEnabled"),
    ("plugin disable shelf", "SetPluginEnabled"), ("plugin remove shelf --yes", "RemovePlugin"),
    ("plugin log shelf --limit 5", "ReadPluginLog"),
  ]

  @Test(arguments: lines)
  func `--json prints the reply as it arrived, as one document`(line: String, method: String) throws {
    defer { broker.stop() }
    let console = RecordedConsole()
    let words = ["--socket", broker.path, "--json"] + line.split(separator: " ").map(String.init)
    #expect(CommandLineTool.run(words, environment: [:], console: console) == 0)
    #expect(broker.methods.last == method)
    #expect(console.printed.count == 1)
    let printed = try JSONObjectSample.read(console.printed.first ?? "")
    switch Samples.script[method] {
    case .reply(let json)?: #expect(try printed == JSONObjectSample.read(json))
    case .replies(let all)?: #expect(try printed == JSONObjectSample.read(all[0]))
    default: Issue.record("no such reply")
    }
  }

  @Test(arguments: lines)
  func `without --json people get lines without JSON`(line: String, method: String) {
    defer { broker.stop() }
    let console = RecordedConsole()
    let words = ["--socket", broker.path] + line.split(separator: " ").map(String.init)
    #expect(CommandLineTool.run(words, environment: [:], console: console) == 0)
    #expect(!console.printed.isEmpty)
    #expect(!console.printed.contains { $0.hasPrefix("{") })
    #expect(console.complaints.allSatisfy { $0.hasPrefix("photobroker: note: this machine has no user ") })
  }

  @Test func `fields unknown to this program stay in the JSON`() throws {
    let other = try ScriptedBroker(
      in: folder, named: "newer.sock",
      ["MarkAssets": .reply(#"{"changed":1,"revision":8,"decisions":[],"later":{"x":2}}"#)])
    defer { [broker, other].forEach { $0.stop() } }
    let result = run("asset", "mark", "photos", "--all", "--hidden", "--json", broker: other)
    #expect(result.console.printed == [#"{"changed":1,"revision":8,"decisions":[],"later":{"x":2}}"#])
  }

  @Test func `R146 every selector reaches the broker`() {
    defer { broker.stop() }
    let result = run(
      "grant", "select", "photos", "a1", "--id", "x", "y", "--glob", "2024/**", "--from", "1970-01-01T00:00:01Z",
      "--before",
      "1970-01-01T00:00:02Z", "--name", "sea.jpg", "--type", "image", "--favorite", "--last", "3", "--all",
      broker: broker)
    #expect(result.status == 0)
    #expect(
      broker.calls("EditSelection") == [
        #"{"library":"photos","app":"a1","add":{"identifiers":["x","y"],"glob":"2024/**","createdFrom":1000000,"createdBefore":2000000,"filename":"sea.jpg","mediaType":"image","favorite":true,"last":3,"all":true}}"#
      ])
  }

  @Test func `asset mark distinguishes marks from selectors`() {
    defer { broker.stop() }
    _ = run("asset", "mark", "photos", "--only-favorites", "--no-favorite", "--hidden", broker: broker)
    #expect(
      broker.calls("MarkAssets") == [
        #"{"library":"photos","selector":{"favorite":true},"favorite":false,"hidden":true}"#
      ])
  }

  @Test func `items of another kind are neither picked nor counted`() throws {
    func picker(_ types: String) -> String {
      #"{"picker":"k1","app":\#(Samples.app),"library":"photos","selectionLimit":9,"mediaTypes":[\#(types)],"ordered":false,"preselected":[],"opened":1}"#
    }
    let kinds = [
      (#""video""#, "--last 1", #"{"mediaType":"video","last":1}"#),
      (#""video""#, "--all", #"{"mediaType":"video","all":true}"#),
      (#""video""#, "--type image --last 1", #"{"mediaType":"image","last":1}"#),
      (#""video""#, "--id x", #"{"identifiers":["x"]}"#),
      (#""image","video""#, "--last 1", #"{"last":1}"#), ("", "--last 1", #"{"last":1}"#),
    ]
    for (place, (types, line, asked)) in kinds.enumerated() {
      let other = try ScriptedBroker(
        in: folder, named: "kinds\(place).sock",
        [
          "ListPickers": .reply(#"{"pickers":[\#(picker(types))]}"#), "AnswerPicker": .reply(#"{"items":0}"#),
          "FetchOwnedAssets": .reply(#"{"assets":[],"total":0,"revision":1}"#),
        ])
      defer { other.stop() }
      let words = ["picker", "answer", "k1"] + line.split(separator: " ").map(String.init)
      #expect(CommandLineTool.run(["--socket", other.path] + words, environment: [:], console: RecordedConsole()) == 0)
      #expect(other.calls("FetchOwnedAssets").first?.contains(#""selector":\#(asked)"#) == true, "\(types) \(line)")
    }
    broker.stop()
  }

  @Test(arguments: ["man", "completions bash", "completions zsh", "completions fish", "help", "help exit-codes"])
  func `the program's descriptions are one text in JSON`(_ line: String) throws {
    broker.stop()
    let (plain, console) = (RecordedConsole(), RecordedConsole())
    let words = line.split(separator: " ").map(String.init)
    #expect(CommandLineTool.run(words, environment: [:], console: plain) == 0)
    #expect(CommandLineTool.run(words + ["--json"], environment: [:], console: console) == 0)
    let document = try JSONObject(message: Array(try #require(console.printed.first).utf8), rules: .client)
    #expect(console.printed.count == 1 && document["text"] == .string(plain.printed.joined(separator: "\n")))
  }

  @Test func `an asset list of many pages is one document`() throws {
    let page = "[" + Array(repeating: Samples.asset, count: 200).joined(separator: ",") + "]"
    let other = try ScriptedBroker(
      in: folder, named: "many.sock", ["FetchOwnedAssets": .reply("{\"assets\":\(page),\"total\":450}")])
    defer { [broker, other].forEach { $0.stop() } }
    let result = run("asset", "list", "photos", "--limit", "300", "--json", broker: other)
    #expect(result.console.printed.count == 1)
    guard case .array(let assets)? = try JSONObjectSample.read(result.console.printed[0])["assets"] else {
      Issue.record("no list of assets")
      return
    }
    #expect(assets.count == 400)
    #expect(
      other.calls("FetchOwnedAssets") == [
        #"{"library":"photos","limit":300,"skip":0}"#, #"{"library":"photos","limit":100,"skip":200}"#,
      ])
  }

  @Test func `an asset list longer than an array of a message is whole`() throws {
    let page = "[" + Array(repeating: Samples.asset, count: 1_000).joined(separator: ",") + "]"
    let other = try ScriptedBroker(
      in: folder, named: "long.sock", ["FetchOwnedAssets": .reply("{\"assets\":\(page),\"total\":12000}")])
    defer { [broker, other].forEach { $0.stop() } }
    let result = run("asset", "list", "photos", "--limit", "12000", "--json", broker: other)
    #expect(result.console.printed.count == 1)
    #expect(result.console.printed.first?.split(separator: "sea.jpg\",\"path").count == 12_001)
  }

  @Test func `skipped files without a displayable name are counted`() throws {
    let info = Samples.info().replacing(
      #""skipped":0"#, with: #""skipped":3,"skippedFiles":[{"path":"a.jpg","reason":"damaged"}]"#)
    let other = try ScriptedBroker(
      in: folder, named: "skipped.sock", ["WatchLibrary": .reply(#"{"library":\#(info)}"#)])
    defer { [broker, other].forEach { $0.stop() } }
    let shown = run("library", "show", "photos", broker: other).console.printed.filter { $0.hasPrefix("skipped") }
    #expect(shown.count == 2 && shown[0].hasSuffix("a.jpg: damaged") && shown[1].contains("2 others: "))
  }

  @Test(arguments: ["library rescan photos --wait", "library rescan photos --wait --json"])
  func `waiting for an offline library fails with the reason`(line: String) throws {
    let away = Samples.library(state: "offline").replacing(#""problem":null"#, with: #""problem":"The disk is away.""#)
    let other = try ScriptedBroker(
      in: folder, named: "away.sock", ["RescanLibrary": .reply("{}"), "WatchLibrary": .reply(away)])
    defer { [broker, other].forEach { $0.stop() } }
    let console = RecordedConsole()
    let words = ["--socket", other.path] + line.split(separator: " ").map(String.init)
    #expect(CommandLineTool.run(words, environment: [:], console: console) == 74)
    #expect((console.printed + console.complaints).count == 1 && console.everything.contains("The disk is away."))
  }

  @Test func `indexing is shown on one line of a terminal and in lines elsewhere`() throws {
    var script = Samples.script
    script["WatchLibrary"] = .replies(
      [0, 5, 10].map { Samples.library(state: "indexing", assets: $0, indexed: $0, toIndex: 10) } + [Samples.library()])
    let other = try ScriptedBroker(in: folder, named: "watch.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    let terminal = run("library", "rescan", "photos", "--wait", broker: other, console: .terminal())
    #expect(terminal.console.progressLines.count == 5 && terminal.console.progressLines.last == "")
    #expect(terminal.console.printed == ["online, 10 assets"])
    let pipe = run("library", "rescan", "photos", "--wait", broker: other)
    #expect(pipe.console.printed.count == 3 && pipe.console.printed.last == "online, 10 assets")
    let json = run("library", "rescan", "photos", "--wait", "--json", broker: other)
    #expect(json.console.printed.count == 1 && json.console.printed[0].contains("online"))
  }

  @Test func `request wait ends with the first prompt, and --follow shows each once`() throws {
    let second = Samples.prompt.replacing("\"p1\"", with: "\"p2\"")
    let script: [String: ScriptedBroker.Scripted] = [
      "ListPrompts": .replies([
        "{\"prompts\":[]}", "{\"prompts\":[\(Samples.prompt)]}", "{\"prompts\":[\(Samples.prompt),\(second)]}",
      ])
    ]
    let other = try ScriptedBroker(in: folder, named: "prompts.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    let first = run("request", "wait", broker: other).console.printed
    #expect(first.count { $0.hasPrefix("p1") } == 1 && first.count == 5)
    let all = run("request", "wait", "--follow", broker: other).console.printed
    #expect(all.count { $0.hasPrefix("p1") } == 1 && all.count { $0.hasPrefix("p2") } == 1)
  }

  @Test func `a mistyped answer is no request`() {
    defer { broker.stop() }
    let result = run("request", "answer", "alow", broker: broker)
    #expect(
      result.status == ExitCode.usage.rawValue && result.console.complaints.joined().contains("Did you mean allow?"))
  }

  @Test(arguments: ["0x10,1", "1e1,1", "nan,1", "1", "91,0"]) func `a place is two decimal numbers`(place: String) {
    defer { broker.stop() }
    let result = run("asset", "edit", "photos", Samples.identifier, "--place", place, broker: broker)
    #expect(result.status == ExitCode.usage.rawValue && broker.calls("EditAsset").isEmpty)
  }

  @Test func `call reaches any method and prints each reply`() {
    defer { broker.stop() }
    let result = run("call", "io.photobroker.Admin.WatchLibrary", #"{"name":"photos"}"#, "--more", broker: broker)
    #expect(result.status == 0)
    #expect(result.console.printed.count == 2)
    let console = RecordedConsole()
    console.standardInput = Array(#"{"limit":5}"#.utf8)
    #expect(run("call", "io.photobroker.Admin.ListDecisions", "-", broker: broker, console: console).status == 0)
    #expect(broker.calls("ListDecisions") == [#"{"limit":5}"#])
    #expect(run("limits", "--app-socket", broker.path).console.printed.last == "pageLimit  1000")
  }
}
