import Testing

@testable import OwnerCommands

/// Identifiers by a unique prefix, and apps and albums by their names.
@Suite struct PrefixTests {
  private let folder: ScratchFolder
  private static let first = "abcd" + String(repeating: "1", count: 28)
  private static let second = "abcd" + String(repeating: "2", count: 28)

  init() throws { folder = try ScratchFolder() }

  private func run(_ line: String, _ broker: ScriptedBroker) -> (
    status: Int32, console: RecordedConsole
  ) {
    let console = RecordedConsole()
    let words =
      ["--socket", broker.path] + line.split(separator: " ").map(String.init)
    return (CommandLineTool.run(words, environment: [:], console: console), console)
  }

  /// Everything has the two identifiers that begin with `abcd`.
  private func broker(_ changes: [String: String] = [:]) throws -> ScriptedBroker {
    var script = Samples.script
    let (first, second) = (Self.first, Self.second)
    func both(_ method: String, _ list: String, _ name: String, _ sample: String) {
      let other = sample.replacing("Journal", with: "Backup").replacing(
        "org.example.journal", with: "org.example.backup")
      let items = [sample.replacing(name, with: first), other.replacing(name, with: second)].joined(
        separator: ",")
      script[method] = .reply(#"{"\#(list)":[\#(items)]}"#)
    }
    both("ListApps", "apps", "a1", Samples.app)
    both("ListPrompts", "prompts", "p1", Samples.prompt)
    both(
      "ListPickers", "pickers", "k1",
      #"{"picker":"k1","app":\#(Samples.app),"library":"photos","selectionLimit":9,"mediaTypes":[],"ordered":false,"preselected":[],"opened":1}"#
    )
    both(
      "ListDeletions", "deletions", "d1",
      #"{"deletion":"d1","app":\#(Samples.app),"library":"photos","assets":[],"asked":1}"#)
    both(
      "ListTokens", "tokens", "acc1",
      #"{"accessor":"acc1","library":"photos","app":"x","level":"readWrite","minted":1,"revoked":false}"#
    )
    both(
      "ListOwnedAlbums", "albums", "b1",
      #"{"album":"b1","title":"Journal","count":1,"source":"userLibrary","shared":false,"created":1}"#
    )
    script["EditOwnedAlbum"] = .reply(#"{"decisions":[]}"#)
    script["FetchOwnedColumns"] = .reply(
      #"{"identifiers":"\#(first + second)","dates":[],"offsets":[],"widths":[],"heights":[],"seconds":[],"marks":[],"names":[],"versions":[],"total":2,"revision":1,"selected":0}"#
    )
    script["ResetAssets"] = .reply(#"{"reset":1,"decisions":[]}"#)
    for (method, reply) in changes { script[method] = .reply(reply) }
    return try ScriptedBroker(in: folder, script)
  }

  @Test(arguments: [
    ("request answer NAME decline", "AnswerPrompt"), ("deletion answer NAME decline", "AnswerDeletion"),
    ("picker decline NAME", "AnswerPicker"), ("picker answer NAME", "AnswerPicker"),
    ("token revoke NAME --yes", "Revoke"), ("grant revoke --accessor NAME --yes", "Revoke"),
    ("grant pause --app NAME", "PauseGrant"), ("asset reset photos NAME", "ResetAssets"),
    ("grant select photos x1 --id NAME", "EditSelection"),
    ("asset mark photos --id NAME --hidden", "MarkAssets"),
    ("log photos --asset NAME", "ReadLedger"),
    ("album delete photos NAME --yes", "EditOwnedAlbum"),
    ("asset list photos --album NAME", "FetchOwnedAssets"),
  ])
  func `a unique prefix stands for an identifier, and an ambiguous one names the matches`(
    line: String, method: String
  ) throws {
    let broker = try broker()
    defer { broker.stop() }
    let ambiguous = run(line.replacing("NAME", with: "abcd"), broker)
    #expect(ambiguous.status == ExitCode.usage.rawValue && broker.calls(method).isEmpty)
    let said = ambiguous.console.complaints.joined()
    #expect(said.contains(Self.first) && said.contains(Self.second))
    #expect(run(line.replacing("NAME", with: "abcd2"), broker).status == 0)
    #expect(broker.calls(method).last?.contains(#""\#(Self.second)""#) == true)
    // Three digits are too few to be sure.
    _ = run(line.replacing("NAME", with: "abc"), broker)
    #expect(
      broker.calls(method).dropFirst().allSatisfy {
        !$0.contains(Self.first) && !$0.contains(Self.second)
      })
  }

  @Test(arguments: [
    ("album delete photos Backup --yes", "EditOwnedAlbum"),
    ("asset list photos --album Backup", "FetchOwnedAssets"),
  ])
  func `an album is named by its title`(
    line: String, method: String
  ) throws {
    let broker = try broker()
    defer { broker.stop() }
    #expect(run(line, broker).status == 0)
    #expect(broker.calls(method).last?.contains(#""\#(Self.second)""#) == true)
  }

  @Test func `a name that an app shows, and an identifier like another's prefix, name no app`() throws {
    let apps = [
      Samples.app.replacing("a1", with: Self.first),
      Samples.twin.replacing("a2", with: Self.second).replacing(
        "org.example.journal", with: String(Self.first.prefix(6))),
    ].joined(separator: ",")
    let broker = try broker(["ListApps": #"{"apps":[\#(apps)]}"#])
    defer { broker.stop() }
    #expect(run("grant pause --app \(Self.first.prefix(6))", broker).status == ExitCode.usage.rawValue)
    #expect(broker.calls("PauseGrant").isEmpty)
    _ = run("grant pause --app Journal", broker)
    #expect(broker.calls("PauseGrant").last?.contains(#""app":"Journal""#) == true)
  }

  @Test func `a whole identifier needs no list`() throws {
    let broker = try broker()
    defer { broker.stop() }
    #expect(run("token revoke \(Self.first) --yes", broker).status == 0)
    #expect(run("asset reset photos \(Self.first)", broker).status == 0)
    #expect(broker.calls("ListTokens").isEmpty && broker.calls("FetchOwnedColumns").isEmpty)
  }
}
