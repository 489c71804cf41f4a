import Testing

@testable import OwnerCommands

/// PhotoKit's words are for apps and for `--json`; people read and type the owners' words.
@Suite struct OwnerWordsTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  static let ofPhotoKit: Set<String> = [
    "authorized", "limited", "denied", "notDetermined", "restricted", "readWrite", "addOnly",
  ]

  /// The words of PhotoKit in some lines.
  private func found(in lines: [String]) -> Set<String> {
    Set(lines.flatMap { $0.split { !$0.isLetter } }.map(String.init)).intersection(Self.ofPhotoKit)
  }

  /// These explain PhotoKit's words to authors of apps.
  private static let forAuthors = ["doctor", "sandbox"]

  @Test func `no help, value or completion has a word of PhotoKit`() {
    for (path, command) in CommandTable.root.all() where !Self.forAuthors.contains(path.first ?? "") {
      #expect(found(in: HelpText.page(path, command)) == [], "\(path)")
      let values = command.operands.map(\.values) + command.options.map(\.values)
      #expect(found(in: values.flatMap(\.words)) == [], "\(path)")
    }
    for topic in HelpTopic.all { #expect(found(in: topic.lines) == [], "\(topic.name)") }
  }

  /// Commands that print grants, rules, decisions, tokens and requests.
  static let lines = [
    "status", "grant list", "grant show photos a1", "grant level photos a1 see-and-change selected-photos",
    "grant expire photos a1 +30d", "grant pause --level add-only", "grant revoke --level see-and-change --yes",
    "apply FILE --preview", "apply FILE", "rule list", "decisions", "undo 1", "token list", "request list",
    "request wait",
    "request answer p1 decline", "request answer p1 allow --yes", "app list", "library list", "library show photos",
  ]

  @Test(arguments: ["authorized", "limited", "denied", "restricted", "notDetermined"], ["readWrite", "addOnly"])
  func `no command prints a word of PhotoKit`(status: String, level: String) throws {
    let file = try folder.write(
      "decisions.json",
      #"{"grants":[{"library":"photos","app":"a1","level":"\#(level)","status":"\#(status)"}],"#
        + #""rules":[{"library":"photos","name":"r","uid":1,"level":"\#(level)","answer":"restrict"}]}"#)
    let script = Samples.script.mapValues { (reply) -> ScriptedBroker.Scripted in
      func said(_ text: String) -> String {
        text.replacing(#""status":"limited""#, with: #""status":"\#(status)""#)
          .replacing(#""level":"readWrite""#, with: #""level":"\#(level)""#)
          .replacing(#""before":"notDetermined""#, with: #""before":"\#(status)""#)
          .replacing(#""action":"allow""#, with: #""action":"restrict""#)
      }
      switch reply {
      case .reply(let text): return .reply(said(text))
      case .replies(let texts): return .replies(texts.map(said))
      case .error, .rawMessage, .hangUp: return reply
      }
    }
    let broker = try ScriptedBroker(in: folder, named: "\(status)-\(level).sock", script)
    defer { broker.stop() }
    for line in Self.lines {
      let console = RecordedConsole()
      let words = line.split(separator: " ").map { $0 == "FILE" ? file : String($0) }
      _ = CommandLineTool.run(["--socket", broker.path] + words, environment: [:], console: console)
      #expect(!console.everything.isEmpty, "\(line)")
      #expect(found(in: [console.everything]) == [], "\(line)")
    }
  }

  @Test func `a decision's text has the owners' words, and an app's name stays as it is`() {
    #expect(Words.outcome("notDetermined") == "not asked yet")
    #expect(Words.outcome("limited, 3 selected, once") == "3 selected photos, once")
    #expect(Words.outcome("authorized, paused", at: "addOnly") == "may add photos, paused")
    #expect(
      Words.outcome("frames: deny addOnly for any app of user 7, for 7200 s")
        == "frames: decline add only for any app of user 7, for 2 hours")
    #expect(Words.outcome("called limited, denied") == "called limited, denied")
  }

  @Test func `the interface's words are no words of a command line`() {
    for words in [["readWrite", "full-access"], ["see-and-change", "limited"]] {
      let console = RecordedConsole()
      let line = ["grant", "level", "photos", "a1"] + words
      #expect(CommandLineTool.run(line, environment: [:], console: console) == ExitCode.usage.rawValue)
      #expect(console.complaints.joined().contains(words[0] == "readWrite" ? "see-and-change" : "selected-photos"))
    }
  }

  @Test(arguments: [(#"["allow","select","deny"]"#, "deny"), (#"["select","cancel"]"#, "cancel")])
  func `decline is the answer that each request offers for it`(offered: String, sent: String) throws {
    var script = Samples.script
    script["ListPrompts"] = .reply(
      #"{"prompts":[\#(Samples.prompt.replacing(#"["allow","select","deny"]"#, with: offered))]}"#)
    let broker = try ScriptedBroker(in: folder, named: sent + ".sock", script)
    defer { broker.stop() }
    let console = RecordedConsole()
    let line = ["--socket", broker.path, "request", "answer", "p1", "decline"]
    #expect(CommandLineTool.run(line, environment: [:], console: console) == 0, "\(console.everything)")
    #expect(broker.calls("AnswerPrompt").first?.contains(#""answer":"\#(sent)""#) == true)
  }

  @Test func `a rule names its album by title`() throws {
    for (title, said) in [(#","albumTitle":"Lake""#, "of album “Lake”"), ("", "of album (deleted)")] {
      var script = Samples.script
      script["ListRules"] = .reply(
        #"{"rules":[{"library":"photos","name":"r","uid":1,"level":"readWrite","answer":"select","live":true,"#
          + #""select":[{"album":"\#(Samples.identifier)"}],"made":1\#(title)}]}"#)
      let broker = try ScriptedBroker(in: folder, named: "rules\(title.count).sock", script)
      defer { broker.stop() }
      let console = RecordedConsole()
      #expect(CommandLineTool.run(["--socket", broker.path, "rule", "list"], environment: [:], console: console) == 0)
      #expect(console.everything.contains(said) && !console.everything.contains(Samples.identifier))
    }
  }
}
