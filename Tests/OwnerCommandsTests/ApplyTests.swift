import Testing
import Varlink

@testable import OwnerCommands

@Suite struct ApplyTests {
  private let folder: ScratchFolder
  private let file: String

  init() throws {
    folder = try ScratchFolder()
    file = try folder.write(
      "decisions.json",
      #"{"grants":[{"library":"photos","app":"org.example.journal","level":"readWrite","status":"limited","expires":"2100-01-01T00:00Z","select":[{"createdFrom":"1970-01-01T00:00:01Z"},{"last":2}],"replace":true},{"library":"photos","app":"a1","level":"addOnly","status":"denied","expires":"never"}],"rules":[{"library":"photos","name":"backup","identifier":"org.example.backup","uid":1001,"level":"readWrite","answer":"select","select":[{"favorite":true}],"lifetime":"2d"}]}"#
    )
  }

  private static let entries =
    #""grants":[{"library":"photos","app":"a1","level":"readWrite","status":"limited","expires":4102444800000000,"select":[{"createdFrom":1000000},{"last":2}],"replace":true},{"library":"photos","app":"a1","level":"addOnly","status":"denied","expires":0}],"rules":[{"library":"photos","name":"backup","identifier":"org.example.backup","uid":1001,"level":"readWrite","answer":"select","select":[{"favorite":true}],"lifetime":172800}]"#

  @Test func `a file is applied by one call, with apps and dates in the interface's form`() throws {
    let broker = try ScriptedBroker(in: folder, Samples.script)
    defer { broker.stop() }
    let result = run("apply", file, "--json", "--yes", broker: broker)
    #expect(result.status == 0)
    #expect(broker.calls("Apply") == ["{\(Self.entries)}"])
    #expect(result.console.printed.count == 1)
  }

  @Test func `changes are shown, and neither a preview nor a refusal makes them`() throws {
    let broker = try ScriptedBroker(in: folder, Samples.script)
    defer { broker.stop() }
    let preview = run("apply", file, "--preview", broker: broker)
    #expect(preview.status == 0)
    #expect(preview.console.printed.first?.contains("not asked yet becomes 3 selected photos") == true)
    #expect(preview.console.printed.first?.contains("2024/sea.jpg, ...") == true)
    let rule = "rule backup in photos: select favourites, see and change for org.example.backup of user 1001"
    #expect(preview.console.printed.contains { $0.contains(rule) })
    #expect(run("apply", file, broker: broker, console: .terminal("n")).status == 1)
    #expect(broker.calls("Apply") == Array(repeating: "{\(Self.entries),\"preview\":true}", count: 2))
    #expect(run("apply", file, broker: broker, console: .terminal("y")).status == 0)
    #expect(broker.calls("Apply").last == "{\(Self.entries)}")
  }

  @Test func `an unknown key is named with the known ones, and standard input by its name`() {
    let console = RecordedConsole()
    console.standardInput = Array(#"{"grants":[{"library":"l","app":"a","lvl":"addOnly"}]}"#.utf8)
    #expect(run("apply", "-", "--socket", "/nonexistent", console: console).status == ExitCode.badData.rawValue)
    let said = console.complaints.joined()
    #expect(said.contains("standard input, grants, entry 1: there is no key lvl. ") && !said.hasSuffix(" "))
    #expect(said.contains("Known: library, app, level") || said.contains("Did you mean level?"))
  }

  @Test func `R131 names and dates of a file are written as in other commands`() throws {
    let (first, second) = ("abcd" + String(repeating: "1", count: 28), "abcd" + String(repeating: "2", count: 28))
    var script = Samples.script
    script["ListOwnedAlbums"] = .reply(
      #"{"albums":[{"album":"\#(first)","title":"Trip","count":1,"source":"userLibrary","shared":false,"created":1},{"album":"\#(second)","title":"Sea","count":1,"source":"userLibrary","shared":false,"created":1}]}"#
    )
    script["FetchOwnedColumns"] = .reply(
      #"{"identifiers":"\#(first + second)","dates":[],"offsets":[],"widths":[],"heights":[],"seconds":[],"marks":[],"names":[],"versions":[],"total":2,"revision":1,"selected":0}"#
    )
    let broker = try ScriptedBroker(in: folder, named: "names.sock", script)
    defer { broker.stop() }
    let file = try folder.write(
      "names.json",
      #"{"grants":[{"library":"photos","app":"a1","level":"readWrite","expires":"30d","select":[{"album":"Trip","createdFrom":"7d"},{"identifiers":["abcd2"]}]}],"rules":[{"library":"photos","name":"sea","uid":1,"level":"readWrite","answer":"select","live":true,"select":[{"album":"abcd2"}]}]}"#
    )
    let now = Moment.now
    #expect(run("apply", file, "--yes", broker: broker).status == 0)
    let sent = try #require(broker.calls("Apply").first)
    #expect(sent.contains(#""album":"\#(first)""#) && sent.contains(#""identifiers":["\#(second)"]"#))
    #expect(sent.contains(#""live":true"#) && sent.contains(#"[{"album":"\#(second)"}]"#))
    for (key, days) in [("expires", 30), ("createdFrom", -7)] as [(String, Int64)] {
      let text = try #require(sent.split(separator: "\"\(key)\":").last?.prefix { "-0123456789".contains($0) })
      #expect((0...600_000_000).contains(try #require(Int64(text)) - now - days * 86_400_000_000))
    }
    let ambiguous = try folder.write(
      "ambiguous.json",
      #"{"grants":[{"library":"photos","app":"a1","level":"readWrite","select":[{"album":"abcd"}]}]}"#)
    let refused = run("apply", ambiguous, "--yes", broker: broker)
    #expect(refused.status == 64 && refused.console.complaints.joined().contains("abcd stands for 2 albums"))
    #expect(broker.calls("Apply").count == 1)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"grants":1}"#, #"{"grants":[]}"#, #"{"grants":[1]}"#, #"{"x":[]}"#,
    #"{"grants":[{"library":"l","app":"a"}]}"#,
    #"{"grants":[{"library":"l","app":"a","level":"all"}]}"#,
    #"{"grants":[{"library":"l","app":"a","level":"addOnly","stauts":"denied"}]}"#,
    #"{"grants":[{"library":"l","app":"a","level":"addOnly","status":"yes"}]}"#,
    #"{"grants":[{"library":"l","app":"a","level":"readWrite","select":[{}]}]}"#,
    #"{"grants":[{"library":"l","app":"a","level":"readWrite","select":[{"globe":"x"}]}]}"#,
    #"{"grants":[{"library":"l","app":"a","level":"readWrite","select":{"all":true}}]}"#,
    #"{"rules":[{"library":"l","name":"r","uid":1,"level":"readWrite","answer":"perhaps"}]}"#,
    #"{"rules":[{"library":"l","name":"r","level":"readWrite","answer":"allow"}]}"#,
    #"{"rules":[{"library":"l","name":"r","uid":1,"level":"readWrite","answer":"allow","lifetime":"long"}]}"#,
  ])
  func `an invalid file is refused before any change`(text: String) throws {
    let file = try folder.write("bad.json", text)
    #expect(run("apply", file, "--socket", "/nonexistent").status != 0)
    #expect(run("apply", file, "--socket", "/nonexistent").status != 69, "the broker is not even asked")
  }
}
