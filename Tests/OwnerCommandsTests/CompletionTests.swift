import Testing

@testable import OwnerCommands

/// Words of completions that come from the broker.
@Suite struct CompletionTests {
  private let folder: ScratchFolder
  private static let first = String(repeating: "a", count: 32)
  private static let second = String(repeating: "b", count: 32)

  init() throws { folder = try ScratchFolder() }

  private func broker() throws -> ScriptedBroker {
    var script = Samples.script
    script["ListApps"] = .reply(
      "{\"apps\":[\(Samples.app),\(Samples.twin),\(Samples.app.replacing("a1", with: "a3").replacing("journal", with: "backup"))]}"
    )
    let album =
      #"{"album":"\#(Self.first)","title":"Summer 2024","count":1,"source":"userLibrary","shared":false,"created":1}"#
    let others = [Self.second, String(repeating: "c", count: 32)].map {
      album.replacing(Self.first, with: $0).replacing("Summer 2024", with: "Twice")
    }
    script["ListOwnedAlbums"] = .reply(#"{"albums":[\#(([album] + others).joined(separator: ","))]}"#)
    script["GetInfo"] = .reply(
      #"{"vendor":"v","product":"p","version":"1","url":"u","interfaces":["io.photobroker.Admin"]}"#)
    script["GetInterfaceDescription"] = .reply(
      #"{"description":"interface io.photobroker.Admin\n# method X\nmethod GetStatus() -> ()\nmethod AddApp(\n  uid: int\n) -> ()"}"#
    )
    return try ScriptedBroker(in: folder, script)
  }

  /// The candidates for a line's last word; `_` stands for an empty one.
  private func offered(_ line: String, _ broker: ScriptedBroker) -> [String] {
    let words = line.split(separator: " ").map { $0 == "_" ? "" : String($0).replacing("~", with: " ") }
    let console = RecordedConsole()
    let status = CommandLineTool.run(
      ["complete", "--"] + words, environment: ["PHOTOBROKER_ADMIN_SOCKET": broker.path], console: console)
    #expect(status == 0 && console.complaints.isEmpty && console.questions.isEmpty)
    return console.printed
  }

  @Test(arguments: [
    ("library show _", ["photos"]), ("grant list --library p", ["photos"]),
    ("grant list --library=p", ["--library=photos"]),
    ("grant list --library = p", ["photos"]), ("library accept _", ["photos"]),
    ("grant level photos _", ["a1", "a2", "org.example.backup"]), ("grant level photos a3", ["a3"]),
    ("grant list --app org", ["org.example.backup"]), ("grant revoke _", ["photos", "a1", "a2", "org.example.backup"]),
    ("request answer _", ["p1"] + AccessWords.answers.typed), ("request answer p1 d", ["decline"]),
    ("deletion answer _", ["d1", "allow", "decline"]), ("picker decline _", ["k1"]), ("token revoke _", ["acc1"]),
    ("grant revoke --accessor a", ["acc1"]), ("rule remove photos _", ["backup"]), ("plugin disable _", ["shelf"]),
    ("library add photos --backend s", ["shelf"]), ("administrator remove _", ["3000"]),
    ("album delete photos _", ["Summer 2024", String(repeating: "b", count: 32), String(repeating: "c", count: 32)]),
    ("album delete photos Summer~", ["Summer 2024"]), ("asset list photos --album aa", [first]),
    ("call io.photobroker.Admin.A", ["io.photobroker.Admin.AddApp"]),
    ("library offer photos roo", ["root"]), ("library offer photos root,roo", ["root,root"]),
    ("grant policy photos a1 o", ["own"]), ("library show photos _", []),
  ])
  func `names that the broker knows are offered`(line: String, words: [String]) throws {
    let broker = try broker()
    defer { broker.stop() }
    #expect(offered(line, broker) == words)
    #expect(broker.methods.allSatisfy { $0.hasPrefix("List") || $0.hasPrefix("GetI") }, "nothing may be changed")
  }

  @Test func `an option names the socket`() throws {
    let broker = try broker()
    defer { broker.stop() }
    let console = RecordedConsole()
    let words = ["complete", "--", "--socket", broker.path, "library", "show", ""]
    #expect(CommandLineTool.run(words, environment: [:], console: console) == 0)
    #expect(console.printed == ["photos"])
  }

  @Test func `without a broker, rights or an answer nothing is offered and nothing said`() throws {
    let refusing = try ScriptedBroker(
      in: folder, named: "refusing.sock",
      ["ListLibraries": .error("io.photobroker.Admin.NotPermitted", #"{"message":"No."}"#), "ListApps": .hangUp])
    defer { refusing.stop() }
    #expect(offered("library show _", refusing).isEmpty)
    #expect(offered("app remove _", refusing).isEmpty)
    let console = RecordedConsole()
    let words = ["complete", "--", "--socket", folder.path + "/none.sock", "library", "show", ""]
    #expect(CommandLineTool.run(words, environment: [:], console: console) == 0)
    #expect(console.everything.isEmpty)
  }
}
