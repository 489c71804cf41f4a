import Foundation
import Testing
import Varlink

@testable import OwnerCommands

@Suite struct ShownTextTests {
  static let naughty: [(String, String)] = [
    ("\u{1B}[31mred", #"\u{1b}[31mred"#), ("\u{9B}2J", #"\u{9b}2J"#), ("a\u{7}b", #"a\u{7}b"#), ("a\rb", #"a\u{d}b"#),
    ("a\nb", #"a\u{a}b"#), ("a\tb", #"a\u{9}b"#), ("\u{7F}", #"\u{7f}"#), ("gpj.\u{202E}exe", #"gpj.\u{202e}exe"#),
    ("\u{2066}x\u{2069}", #"\u{2066}x\u{2069}"#), ("\u{200E}\u{200F}\u{61C}", #"\u{200e}\u{200f}\u{61c}"#),
    ("pay\u{200B}pal", #"pay\u{200b}pal"#), ("a\u{200D}b\u{FEFF}", #"a\u{200d}b\u{feff}"#), ("\u{AD}", #"\u{ad}"#),
    ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#), ("\u{E0041}", #"\u{e0041}"#), ("\u{FE0F}", #"\u{fe0f}"#),
    ("\u{3164}", #"\u{3164}"#), ("\u{E000}", #"\u{e000}"#), ("\0", #"\u{0}"#),
    ("\u{1B}]0;title\u{7}", #"\u{1b}]0;title\u{7}"#),
    (#"C:\u{41}"#, #"C:\\u{41}"#), ("\u{90}q", #"\u{90}q"#), ("a\u{FFF9}b\u{FFFB}", #"a\u{fff9}b\u{fffb}"#),
  ]

  @Test(arguments: naughty)
  func `invisible characters are spelled out`(text: String, shown: String) {
    #expect(ShownText.escaped(text) == shown)
  }

  @Test(arguments: ["sea.jpg", "Grüße 2024.jpg", "Ελλάδα", "Привет", "日本語", "مرحبا", "한국어", "📷", "naïve café", "हिन्दी"])
  func `text in any script is unchanged`(text: String) {
    #expect(ShownText.escaped(text) == text)
  }

  @Test(arguments: [" ", "\u{A0}", "\u{2003}", "\u{3000}", "\u{2800}", "\u{2800} \u{2003}"])
  func `an app's text contains no run of blanks that could begin a line`(blank: String) {
    let run = String(repeating: blank, count: 200)
    #expect(ShownText.claimed("I need.\(run)00000000  Safe App\(blank)") == "I need. 00000000 Safe App ")
    #expect(ShownText.claimed("a\tb\n") == "a\tb\n", "which are spelled out")
  }

  @Test func `R120 an app without access cannot begin a line by its name either`() throws {
    let folder = try ScratchFolder()
    let name = "x\(String(repeating: " ", count: 120))1a2b org.bank Safe"
    var script = Samples.script
    let app = String(Samples.app.replacing("Journal", with: name).dropLast()) + #","withoutAccess":["photos"]}"#
    script["ListApps"] = .reply("{\"apps\":[\(app)]}")
    let broker = try ScriptedBroker(in: folder, script)
    defer { broker.stop() }
    let console = RecordedConsole()
    #expect(CommandLineTool.run(["--socket", broker.path, "app", "list"], environment: [:], console: console) == 0)
    let text = console.printed.joined(separator: "\n")
    #expect(text.contains("Apps without access") && text.components(separatedBy: "x 1a2b org.bank Safe").count == 3)
  }

  @Test(arguments: [
    ("J\u{43E}urnal", true), ("\u{391}lbum", true), ("\u{3BC}Torrent", true), ("\u{1D400}\u{43E}", true),
    ("\u{2160}\u{43E}", true),
    ("\u{B5}Torrent", false), ("k\u{2126}m", false), ("\u{416}\u{443}\u{440} Photos", false), ("Journal", false),
    ("Na\u{308}ive caf\u{E9}", false),
  ])
  func `R120 letters of several alphabets mix a word, and unit signs do not`(
    text: String, isMixed: Bool
  ) {
    #expect(Alphabets.areMixed(in: text) == isMixed)
  }

  @Test func `combining marks are spelled out from the fifth on`() {
    let shown = ShownText.escaped("e" + String(repeating: "\u{301}", count: 6))
    #expect(shown.hasSuffix(#"\u{301}\u{301}"#))
    #expect(shown.unicodeScalars.count { $0 == "\u{301}" } == 4)
  }

  @Test(arguments: naughty)
  func `JSON is printed without them and reads back the same`(text: String, _: String) throws {
    var object = JSONObjectSample(text).object
    let printed = JSONText.printable(object)
    #expect(!printed.unicodeScalars.contains(where: ShownText.isHidden))
    let back = try JSONObjectSample.read(printed)
    #expect(back == object)
    object["k"] = nil
    #expect(back != object)
  }

  @Test func `columns align with wide characters and hostile cells`() {
    var table = Table("NAME", "N")
    table.add("日本", "1")
    table.add("a\nb\u{1B}[2J", "2")
    let lines = table.lines
    #expect(lines.count == 3)
    #expect(lines.map { ShownText.width(String($0.dropLast())) } == [18, 18, 18])
    #expect(!table.lines.contains { $0.contains("\n") || $0.contains("\u{1B}") })
  }

  @Test func `R28 apps' and photos' words cannot control the terminal in any command`() throws {
    let folder = try ScratchFolder()
    let evil = #"\u001b]0;x\u0007\u202e\u200b\u009b2J\r"#
    var script = Samples.script
    script["ListApps"] = .reply("{\"apps\":[\(Samples.app.replacing("Journal", with: evil))]}")
    script["ListPrompts"] = .reply(
      "{\"prompts\":[\(Samples.prompt.replacing("Shows your photos.", with: evil).replacing("Journal", with: evil))]}")
    script["FetchOwnedAssets"] = .reply("{\"assets\":[\(Samples.asset.replacing("sea.jpg", with: evil))],\"total\":1}")
    script["EditSelection"] = .reply(Samples.edit.replacing("sea.jpg", with: evil))
    script["SetGrant"] = .error("io.photobroker.Admin.Refused", "{\"message\":\"no \(evil)\"}")
    let broker = try ScriptedBroker(in: folder, script)
    defer { broker.stop() }
    for json in [[], ["--json"]] {
      for words in [
        ["app", "list"], ["request", "list"], ["request", "wait"], ["asset", "list", "photos"],
        ["grant", "select", "photos", "a1", "--all"],
        ["grant", "level", "photos", "a1", "see-and-change", "no-access"],
      ] {
        let console = RecordedConsole()
        _ = CommandLineTool.run(["--socket", broker.path] + words + json, environment: [:], console: console)
        let text = (console.printed + console.complaints).joined(separator: "\n")
        #expect(text.contains("]0;x"), "\(words)")
        #expect(!text.unicodeScalars.contains { $0 != "\n" && ShownText.isHidden($0) }, "\(words)")
      }
    }
  }
}
