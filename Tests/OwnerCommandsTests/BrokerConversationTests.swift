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
    ("deletion list", "ListDeletions"), ("deletion answer d1 deny", "AnswerDeletion"),
    ("grant list", "ListGrants"), ("grant show photos a1", "ListGrants"),
    ("grant level photos a1 readWrite limited", "SetGrant"),
    ("grant expire photos a1 +30d", "SetGrant"), ("grant policy photos a1 none", "SetGrant"),
    ("grant policy photos a1 shared-read", "SetGrant"), ("grant policy photos a1 family-albums", "SetGrant"),
    ("grant select photos a1 --all", "EditSelection"), ("grant unselect photos a1 --last 2", "EditSelection"),
    ("grant pause photos a1", "PauseGrant"), ("grant resume photos a1", "PauseGrant"),
    ("grant revoke --app a1 --yes", "Revoke"),
    ("asset mark photos --all --never-share", "MarkAssets"), ("prompt list", "ListPrompts"),
    ("prompt wait", "ListPrompts"),
    ("prompt answer p1 select --last 3", "AnswerPrompt"), ("token list", "ListTokens"),
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
    #expect(console.complaints.isEmpty)
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

  @Test func `R126 an offer is shown and confirmed on a terminal, and exactly that is accepted`() {
    defer { broker.stop() }
    let shown = #""owner":1001,"programs":true,"coOwner":true"#
    let no = run("library", "accept", "photos", broker: broker, console: .terminal("n"))
    #expect(no.status == 1 && broker.calls("AnswerOffer").isEmpty)
    #expect(no.console.questions.joined().contains("\(Words.user(1001)) offers for your programs, you as co-owner"))
    #expect(run("library", "accept", "photos", broker: broker, console: .terminal("y")).status == 0)
    #expect(run("library", "accept", "photos", broker: broker).status == 0, "where nobody can be asked")
    #expect(
      run("library", "decline", "photos", broker: broker, console: .terminal("n")).status == 0, "it is not asked about")
    #expect(
      broker.calls("AnswerOffer") == [true, true, false].map { #"{"library":"photos","accept":\#($0),\#(shown)}"# })
    #expect(run("library", "accept", "absent", broker: broker).status != 0)
    #expect(broker.calls("AnswerOffer").count == 3)
  }

  @Test(arguments: [
    (
      "accept", "--programs",
      #""accept":true,"owner":1001,"programs":true,"coOwner":false,"declinesPrograms":false,"declinesCoOwner":true"#
    ),
    (
      "accept", "--co-owner",
      #""accept":true,"owner":1001,"programs":false,"coOwner":true,"declinesPrograms":false,"declinesCoOwner":false"#
    ),
    (
      "decline", "--programs",
      #""accept":true,"owner":1001,"programs":false,"coOwner":false,"declinesPrograms":true,"declinesCoOwner":true"#
    ),
    (
      "decline", "--co-owner",
      #""accept":true,"owner":1001,"programs":false,"coOwner":false,"declinesPrograms":false,"declinesCoOwner":true"#
    ),
  ]) func `R126 R127 one of two offered roles is answered, and the other's answer is repeated`(
    _ command: String, _ option: String, _ sent: String
  ) throws {
    let offer = #""library":"photos","owner":1001,"declined":false,"accepted":false,"programs":true,"coOwner":true"#
    let answers = #""programsAnswer":"waiting","coOwnerAnswer":"declined""#
    let other = try ScriptedBroker(
      in: folder, named: "apart.sock",
      [
        "ListOffers": .reply("{\"offers\":[{\(offer),\(answers)}]}"),
        "AnswerOffer": .reply(#"{"receipt":\#(Samples.noReceipt)}"#),
      ])
    defer { [broker, other].forEach { $0.stop() } }
    let result = run("library", command, "photos", option, broker: other, console: .terminal("y"))
    #expect(result.status == 0 && other.calls("AnswerOffer") == [#"{"library":"photos",\#(sent)}"#])
    if command == "accept" {
      let alone = option == "--programs" ? "for your programs alone" : "for you as co-owner alone"
      #expect(result.console.questions.joined().contains("Accept photos of \(Words.user(1001)) \(alone)?"))
    } else {
      #expect(result.console.questions.isEmpty)
    }
    // Naming both parts equals naming none.
    #expect(run("library", "decline", "photos", "--programs", "--co-owner", broker: other).status == 0)
    #expect(
      other.calls("AnswerOffer").last
        == #"{"library":"photos","accept":false,"owner":1001,"programs":true,"coOwner":true}"#)
    #expect(
      run("library", "offers", broker: other).console.printed.joined().contains(
        "your programs: none yet, you as co-owner: declined"))
    #expect(run("library", "accept", "--from", "1001", option, broker: broker).status == ExitCode.usage.rawValue)
    #expect(broker.calls("AnswerOffer").isEmpty && broker.calls("AnswerOffers").isEmpty)
  }

  @Test func `R126 a role that is not offered is not answered`() throws {
    let offer =
      #"{"library":"photos","owner":1001,"declined":false,"accepted":false,"programs":false,"coOwner":true,"coOwnerAnswer":"waiting"}"#
    let other = try ScriptedBroker(
      in: folder, named: "one.sock",
      ["ListOffers": .reply(#"{"offers":[\#(offer)]}"#), "AnswerOffer": .reply(#"{"receipt":\#(Samples.noReceipt)}"#)])
    defer { [broker, other].forEach { $0.stop() } }
    #expect(run("library", "accept", "photos", "--programs", broker: other).status == ExitCode.notFound.rawValue)
    #expect(other.calls("AnswerOffer").isEmpty)
    #expect(
      run("library", "decline", "photos", "--co-owner", broker: other).console.printed == [
        "You are not a co-owner of photos."
      ])
    #expect(
      other.calls("AnswerOffer") == [
        #"{"library":"photos","accept":false,"owner":1001,"programs":false,"coOwner":true}"#
      ])
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
        "\(first); or named sea.jpg; or favourites; or no favourites; or everything, readWrite for any app of"))
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

  @Test func `R146 a terminal shows count and names before any change`() {
    defer { broker.stop() }
    let no = run("grant", "select", "photos", "a1", "--last", "1", broker: broker, console: .terminal("n"))
    #expect(no.status == 1)
    #expect(no.console.printed.joined().contains("2024/sea.jpg"))
    #expect(broker.calls("EditSelection") == [#"{"library":"photos","app":"a1","add":{"last":1},"preview":true}"#])
    let yes = run("grant", "select", "photos", "a1", "--last", "1", broker: broker, console: .terminal("y"))
    #expect(yes.status == 0)
    #expect(broker.calls("EditSelection").count == 3)
    // Exactly the assets shown, without later imports.
    #expect(
      broker.calls("EditSelection").last
        == #"{"library":"photos","app":"a1","add":{"identifiers":["\#(Samples.identifier)"]}}"#)
    let away = run("grant", "unselect", "photos", "a1", "--last", "1", broker: broker, console: .terminal("y"))
    #expect(away.status == 0)
    #expect(
      broker.calls("EditSelection").last
        == #"{"library":"photos","app":"a1","remove":{"identifiers":["\#(Samples.identifier)"]}}"#)
  }

  @Test func `R28 agreed words are shown with grant and decision and hide nothing`() throws {
    let words =
      #"{"identifier":"org.example.journal","displayName":"Journal","usageDescription":"Shows\nyour \u202ephotos.","language":null,"executable":"/usr/bin/python3"}"#
    let present = words.replacing("Shows", with: "Sells")
    func agreed(by user: UInt32, _ rest: String) -> String {
      String(Samples.grant.dropLast()) + #","agreement":{"time":1720000000000000,"actor":\#(user),\#(rest)}}"#
    }
    func show(_ name: String, _ grant: String) throws -> [String] {
      var script = Samples.script
      script["ListGrants"] = .reply(#"{"grants":[\#(grant)]}"#)
      let other = try ScriptedBroker(in: folder, named: name + ".sock", script)
      defer { other.stop() }
      return run("grant", "show", "photos", "a1", broker: other).console.printed
    }
    defer { broker.stop() }
    let shown = #"“Journal” (org.example.journal): “Shows\u{a}your \u{202e}photos.”"#
    let mine = try show("mine", agreed(by: getuid(), #""changed":false,"words":\#(words)"#))
    #expect(mine.dropFirst(2) == ["photos, readWrite: you said yes on 2024-07-03T09:46:40+00:00 to \(shown)"])
    let other = try show("other", agreed(by: getuid() + 1, #""changed":true,"words":\#(words),"present":\#(present)"#))
    #expect(
      other.dropFirst(2) == [
        "photos, readWrite: \(Words.user(Int64(getuid()) + 1)) said yes on 2024-07-03T09:46:40+00:00 to \(shown)",
        "  today the app says: \(shown.replacing("Shows", with: "Sells"))",
      ])
    #expect(try show("all", agreed(by: getuid(), #""changed":true"#)).count == 2, "a list of all has no words")
    var script = Samples.script
    guard case .reply(let decisions) = script["ListDecisions"] else { return #expect(Bool(false)) }
    script["ListDecisions"] = .reply(
      decisions.replacing(#""undoable":true"#, with: #""undoable":true,"words":\#(words)"#))
    let listing = try ScriptedBroker(in: folder, named: "listing.sock", script)
    defer { listing.stop() }
    let listed = run("decisions", "photos", broker: listing).console.printed
    #expect(listed.count == 2 && listed[0].hasSuffix("APP'S WORDS") && listed[1].hasSuffix(shown))
  }

  @Test func `durations are shown in units and not in seconds`() throws {
    var script = Samples.script
    guard case .reply(let decisions) = script["ListDecisions"], case .reply(let rules) = script["ListRules"] else {
      return #expect(Bool(false))
    }
    script["ListDecisions"] = .reply(decisions.replacing(#""before":""#, with: #""before":"r: deny, for 2592000 s, "#))
    script["ListRules"] = .reply(rules.replacing("3600", with: "2592000"))
    let other = try ScriptedBroker(in: folder, named: "times.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    for words in [["decisions", "photos"], ["rule", "list"]] {
      #expect(runWords(words, broker: other).console.everything.contains("for 30 days"), "\(words)")
    }
  }

  @Test func `R146 a selection too large to show is sent as its selector`() throws {
    var script = Samples.script
    script["EditSelection"] = .reply(Samples.edit.replacing(#""added":1"#, with: #""added":70"#))
    script["FetchOwnedAssets"] = .reply(
      #"{"assets":[\#(Array(repeating: Samples.asset, count: 50).joined(separator: ","))],"total":70}"#)
    let other = try ScriptedBroker(in: folder, named: "many.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    #expect(run("grant", "select", "photos", "a1", "--all", broker: other, console: .terminal("y")).status == 0)
    #expect(other.calls("EditSelection").last == #"{"library":"photos","app":"a1","add":{"all":true}}"#)
    let answered = run("prompt", "answer", "p1", "select", "--all", broker: other, console: .terminal("y"))
    #expect(answered.console.printed.contains("  and 20 more"))
    #expect(other.calls("AnswerPrompt") == [#"{"prompt":"p1","answer":"select","selector":{"all":true}}"#])
  }

  @Test func `R146 an answer's selection is shown and confirmed on a terminal`() {
    defer { broker.stop() }
    let preview = run("prompt", "answer", "p1", "select", "--last", "1", "--preview", broker: broker)
    #expect(preview.status == 0)
    #expect(preview.console.printed == ["  2024/sea.jpg  2024-07-03T09:46:40+00:00", "1 asset would be selected."])
    let json = run("prompt", "answer", "p1", "select", "--last", "1", "--preview", "--json", broker: broker)
    #expect(json.console.printed == [#"{"assets":[\#(Samples.asset)],"total":1}"#])
    #expect(run("prompt", "answer", "p1", "allow", "--preview", broker: broker).status == 64)
    #expect(run("prompt", "answer", "p9", "select", "--all", "--preview", broker: broker).status == 66)
    #expect(run("prompt", "answer", "p1", "change", "--all", "--preview", broker: broker).status == 65)
    #expect(run("prompt", "answer", "p1", "select", "--last", "1", broker: broker, console: .terminal("n")).status == 1)
    #expect(broker.calls("AnswerPrompt").isEmpty)
    #expect(run("prompt", "answer", "p1", "select", "--last", "1", broker: broker, console: .terminal("y")).status == 0)
    #expect(
      broker.calls("AnswerPrompt") == [
        #"{"prompt":"p1","answer":"select","selector":{"identifiers":["\#(Samples.identifier)"]}}"#
      ])
  }

  private func runWords(
    _ words: [String], broker: ScriptedBroker, console: RecordedConsole = RecordedConsole()
  ) -> (status: Int32, console: RecordedConsole) {
    (CommandLineTool.run(["--socket", broker.path] + words, environment: [:], console: console), console)
  }

  @Test func `R43 the app's own additions are counted beside a selection, and beside none`() throws {
    var script = Samples.script
    script["ListPrompts"] = .reply(#"{"prompts":[\#(Samples.prompt.dropLast()),"joining":3}]}"#)
    let other = try ScriptedBroker(in: folder, named: "joining.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    let words = ["prompt", "answer", "p1", "select"]
    // The choice includes one of the three.
    let preview = runWords(words + ["--last", "1", "--preview"], broker: other)
    #expect(preview.console.printed.last == "1 asset would be selected, and the 2 others that the app added itself.")
    #expect(
      other.calls("FetchOwnedAssets").last
        == #"{"library":"photos","selector":{"last":1},"addedBy":"a1","limit":1,"purpose":"selection"}"#)
    let json = runWords(words + ["--last", "1", "--preview", "--json"], broker: other).console.printed
    #expect(json == [#"{"assets":[\#(Samples.asset)],"total":1,"joining":2}"#])
    let some = runWords(words + ["--last", "1"], broker: other, console: .terminal("n"))
    #expect(
      some.console.questions == [
        "Let org.example.journal see this asset, and the 2 others that the app added itself? [y/N] "
      ])
    let none = runWords(words + ["--none"], broker: other, console: .terminal("n"))
    #expect(
      none.console.questions == [
        "No asset is chosen: the app will see only the 3 assets that it added itself. Go on? [y/N] "
      ])
    #expect(
      run("prompt", "list", broker: other).console.printed.joined().contains("sees the 3 assets that it added itself"))
    #expect(other.calls("AnswerPrompt").isEmpty)
    let nothing = runWords(words + ["--none"], broker: broker, console: .terminal("n"))
    #expect(nothing.console.questions == ["No asset is chosen: the app will see none. Go on? [y/N] "])
  }

  @Test func `R127 regained access is shown before an offer, and suspended rules separately`()
    throws
  {
    var script = Samples.script
    let resting = String(Samples.grant.dropLast()) + #","resting":true}"#
    script["ListGrants"] = .reply(#"{"grants":[\#(resting)]}"#)
    script["ListLibraries"] = .reply(#"{"libraries":[\#(Samples.info().replacing("[61003]", with: "[]"))]}"#)
    script["OfferLibrary"] = .reply(#"{"receipt":\#(Samples.receipt),"decisions":[7]}"#)
    script["ListTokens"] = .reply(
      #"{"tokens":[{"accessor":"acc1","library":"photos","app":"a1","level":"readWrite","minted":1720000000000000,"revoked":false,"resting":true}]}"#
    )
    let other = try ScriptedBroker(in: folder, named: "resting.sock", script)
    // A user with an offer who declined it regains nothing by another offer.
    script["ListLibraries"] = .reply(
      #"{"libraries":[\#(Samples.info().replacing(#""declinedBy":[]"#, with: #""declinedBy":[61003]"#))]}"#)
    let declined = try ScriptedBroker(in: folder, named: "declined.sock", script)
    defer { [broker, other, declined].forEach { $0.stop() } }
    #expect(runWords(["library", "offer", "photos", "1000,61003"], broker: declined).status == 0)
    #expect(run("grant", "list", broker: other).console.printed.joined().contains("limited, 3 selected, not offered"))
    #expect(run("token", "list", broker: other).console.printed.joined().contains("not offered"))
    let offer = ["library", "offer", "photos", "--add", "61003"]
    let no = runWords(offer, broker: other, console: .terminal("n"))
    #expect(no.status == 1 && other.calls("OfferLibrary").isEmpty)
    #expect(
      no.console.questions.joined().contains(
        "org.example.journal of user 61003, readWrite: limited, 3 selected, not offered"))
    #expect(
      runWords(offer, broker: other).status == 64 && other.calls("OfferLibrary").isEmpty, "where nobody can be asked")
    #expect(runWords(offer, broker: other, console: .terminal("y")).status == 0)
    // An offer without regained access needs no confirmation.
    let others = run("library", "offer", "photos", "--add", "1000", broker: other, console: .terminal("n"))
    #expect(others.status == 0 && others.console.questions.isEmpty)
    let removed = run("library", "offer", "photos", "--remove", "61003", broker: other, console: .terminal("n"))
    #expect(removed.status == 0 && removed.console.questions.isEmpty)
    #expect(
      removed.console.printed.contains("Stopped. 2 connections lost access, 1 transfer cancelled."))
    #expect(removed.console.printed.contains { $0.contains("1 grant will apply again, with the same tokens, once") })
  }

  @Test(arguments: [("deny", true), ("allow", true), ("keep", false), ("cancel", false)])
  func `R131 an answer with an effect names its undo`(answer: String, isTold: Bool) {
    defer { broker.stop() }
    let answered = run("prompt", "answer", "p1", answer, broker: broker)
    #expect(answered.console.everything.contains("To take it back: photobroker undo 7") == isTold)
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
    #expect(run("deletion", "answer", "d1", "deny", broker: broker).status == 0)
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

  @Test func `R126 R130 owners and administrators are added to and removed from the present ones`() {
    defer { broker.stop() }
    _ = run("library", "delegate", "photos", "--add-owner", "1002", "--remove-owner", "1001", "--yes", broker: broker)
    #expect(broker.calls("DelegateLibrary") == [#"{"name":"photos","coOwners":[1002]}"#])
    _ = run("administrator", "add", "3000,3002", broker: broker)
    _ = run("administrator", "remove", "3000", "--yes", broker: broker)
    #expect(broker.calls("SetAdministrators") == [#"{"administrators":[3000,3002]}"#, #"{"administrators":[]}"#])
    #expect(run("library", "delegate", "photos", broker: broker).status == 64)
  }

  @Test func `R132 pausing takes the same scopes as revoking`() {
    defer { broker.stop() }
    for words in [["--uid", "1000"], ["photos"], ["--level", "addOnly"], ["--everything"]] {
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

  @Test func `prompt wait ends with the first prompt, and --follow shows each once`() throws {
    let second = Samples.prompt.replacing("\"p1\"", with: "\"p2\"")
    let script: [String: ScriptedBroker.Scripted] = [
      "ListPrompts": .replies([
        "{\"prompts\":[]}", "{\"prompts\":[\(Samples.prompt)]}", "{\"prompts\":[\(Samples.prompt),\(second)]}",
      ])
    ]
    let other = try ScriptedBroker(in: folder, named: "prompts.sock", script)
    defer { [broker, other].forEach { $0.stop() } }
    let first = run("prompt", "wait", broker: other).console.printed
    #expect(first.count { $0.hasPrefix("p1") } == 1 && first.count == 5)
    let all = run("prompt", "wait", "--follow", broker: other).console.printed
    #expect(all.count { $0.hasPrefix("p1") } == 1 && all.count { $0.hasPrefix("p2") } == 1)
  }

  @Test func `R138 a prompt shows verified facts separately from claims`() {
    defer { broker.stop() }
    let text = run("prompt", "list", broker: broker).console.printed.joined(separator: "\n")
    #expect(text.contains("calls itself “Journal”; verified: user 61003; a script, which is not verified"))
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

  @Test func `a mistyped answer is no request`() {
    defer { broker.stop() }
    let result = run("prompt", "answer", "alow", broker: broker)
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
