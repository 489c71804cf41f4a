import Cryptography
import Foundation
import Macaroons
import Testing
import Varlink

@testable import OwnerCommands

@Suite struct TokenTests {
  private let folder: ScratchFolder
  private let broker: ScriptedBroker
  private static let accessor = "00112233445566778899aabbccddeeff"

  init() throws {
    folder = try ScratchFolder()
    broker = try ScriptedBroker(in: folder, Samples.script)
  }

  private func mint() throws -> Macaroon {
    let key = SecretBytes(copying: Array(repeating: 7, count: 32))
    return try Macaroon.mint(location: "photobroker", identifier: Array(Self.accessor.utf8), key: key)
      .adding(.library("photos")).adding(.app("a1")).adding(.level(.readWrite))
  }

  @Test func `R123 a minted token goes only to a new file of mode 0600`() throws {
    defer { broker.stop() }
    for json in [[], ["--json"]] {
      let name = "token\(json.count)"
      let console = RecordedConsole.terminal()
      let words =
        [
          "--socket", broker.path, "token", "mint", "photos", "a1", "see-and-change", "--file",
          folder.path + "/" + name,
        ]
        + json
      #expect(CommandLineTool.run(words, environment: [:], console: console) == 0)
      #expect(try folder.read(name) == "c2VjcmV0\n")
      #expect(try folder.mode(name) == 0o600)
      #expect(!console.everything.contains("c2VjcmV0"))
      #expect(console.everything.contains("acc1"))
    }
  }

  @Test func `R155 a child token is minted with its name, user and end, and narrowed before it is written`() throws {
    let token = try mint().text
    let other = try ScriptedBroker(
      in: folder, named: "child.sock",
      [
        "ListApps": .reply(#"{"apps":[]}"#),
        "MintToken": .reply(#"{"token":"\#(token)","accessor":"\#(Self.accessor)"}"#),
      ])
    defer { [broker, other].forEach { $0.stop() } }
    let place = ["token", "mint", "photos", "a1", "see-and-change", "--file"]
    func run(_ words: [String]) -> Int32 {
      CommandLineTool.run(["--socket", other.path] + words, environment: [:], console: RecordedConsole())
    }
    let file = folder.path + "/child"
    #expect(
      run(
        place + [
          file, "--name", "frame", "--uid", "61003", "--until", "2100-01-01T00:00Z", "--verbs", "read", "--uses", "9",
        ]
      ) == 0)
    #expect(
      other.calls("MintToken")
        == [
          #"{"library":"photos","app":"a1","level":"readWrite","name":"frame","uid":61003,"expires":4102444800000000}"#
        ])
    let narrowed = try Macaroon(text: folder.read("child").trimmingCharacters(in: .newlines)).claimedRestrictions()
    #expect(narrowed.verbs == .read && narrowed.uses == 9)
    for option in [["--uid", "61003"], ["--until", "+1d"], ["--verbs", "read"]] {
      #expect(run(place + [folder.path + "/none"] + option) == 64, "\(option) without a name")
    }
    #expect(!folder.has("none"))
  }

  @Test func `a token never overwrites a file, and none is minted then`() throws {
    defer { broker.stop() }
    let file = try folder.write("taken", "mine")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link", withDestinationPath: folder.path + "/elsewhere")
    for path in [file, folder.path + "/link", folder.path + "/none/token"] {
      #expect(run("token", "mint", "photos", "a1", "see-and-change", "--file", path, broker: broker).status == 73)
    }
    #expect(try folder.read("taken") == "mine")
    #expect(!folder.has("elsewhere"))
    #expect(broker.calls("MintToken").isEmpty)
  }

  @Test func `a refusal by the broker leaves no file`() throws {
    let other = try ScriptedBroker(
      in: folder, named: "no.sock",
      [
        "ListApps": .reply(#"{"apps":[]}"#),
        "MintToken": .error("io.photobroker.Admin.NotFound", #"{"what":"grant","message":"x"}"#),
      ])
    defer { [broker, other].forEach { $0.stop() } }
    #expect(
      run("token", "mint", "photos", "a1", "see-and-change", "--file", folder.path + "/t", broker: other).status == 66)
    #expect(!folder.has("t"))
  }

  @Test func `app add writes the app's token to a file or a program, never to a terminal`() throws {
    defer { broker.stop() }
    let manifest = try folder.write("m.json", ManifestCheckTests.good)
    for words in [["app", "add", manifest], ["app", "add", manifest, "--json"]] {
      let console = RecordedConsole.terminal()
      #expect(CommandLineTool.run(["--socket", broker.path] + words, environment: [:], console: console) == 64)
      #expect(broker.calls("AddApp").isEmpty)
    }
    let terminal = run(
      "app", "add", manifest, "--uid", "61003", "--token-file", folder.path + "/t", "--json", broker: broker,
      console: .terminal())
    #expect(terminal.status == 0)
    #expect(try folder.read("t") == "c2VjcmV0\n")
    #expect(!terminal.console.everything.contains("c2VjcmV0"))
    #expect(broker.calls("AddApp").last == #"{"manifest":\#(ManifestCheckTests.good),"uid":61003}"#)
    let pipe = run("app", "add", manifest, "--json", broker: broker)
    #expect(try JSONObjectSample.read(pipe.console.printed.joined())["token"] == .string("c2VjcmV0"))
  }

  @Test func `R123 inspecting shows a token's caveats and not its secret`() throws {
    defer { broker.stop() }
    let token = try mint()
    let file = try folder.write("t", token.text + "\n")
    let result = run("token", "inspect", file)
    #expect(result.status == 0)
    #expect(result.console.printed.contains("accessor  \(Self.accessor)"))
    #expect(result.console.printed.contains("library   photos"))
    #expect(!result.console.everything.contains(token.text))
    let document = try JSONObjectSample.read(run("token", "inspect", file, "--json").console.printed.joined())
    #expect(document["level"] == .string("readWrite"))
    #expect(document["uid"] == nil)
    #expect(broker.methods.isEmpty)
  }

  @Test func `R123 R125 attenuating offline makes a token that the broker verifies under the same accessor`() throws {
    let file = try folder.write("t", mint().text)
    let asset = "000000000000000000000000000000ff"
    let result = run(
      "token", "narrow", file, "--file", folder.path + "/n", "--before", "2100-01-01T00:00Z", "--verbs", "read,observe",
      "--asset", asset,
      "--uid", "61003")
    #expect(result.status == 0)
    #expect(try folder.mode("n") == 0o600)
    let narrow = try Macaroon(text: folder.read("n").trimmingCharacters(in: .newlines))
    #expect(narrow.identifier == Array(Self.accessor.utf8))
    #expect(!result.console.everything.contains(narrow.text))
    let key = SecretBytes(copying: Array(repeating: 7, count: 32))
    let verified = try MacaroonVerifier(location: "photobroker", key: key).verify(narrow)
    #expect(verified.verbs == Verbs([.read, .observe]))
    #expect(verified.before == 4_102_444_800)
    #expect(verified.assets == [0xff])
    #expect(verified.uid == 61003)
    #expect(verified.library == "photos")
    #expect(run("token", "narrow", folder.path + "/n", "--file", folder.path + "/w", "--uid", "1").status == 65)
    // The narrowed token would allow nothing.
    for more in [["--verbs", "add"], ["--asset", String(repeating: "7", count: 32)]] {
      #expect(
        run("token", "narrow", folder.path + "/n", "--file", folder.path + "/w", more[0], more[1]).status == 64,
        "\(more)")
    }
    #expect(!folder.has("w"))
  }

  @Test(arguments: ["", "x", "two words", "@@@@", String(repeating: "A", count: 9_000)])
  func `an invalid token is refused and not repeated`(text: String) throws {
    let file = try folder.write("t", text)
    let result = run("token", "inspect", file)
    #expect(result.status == 65)
    #expect(text.count < 4 || !result.console.everything.contains(text))
  }

  @Test(arguments: [
    ["--verbs", "reed"], ["--verbs", ","], ["--asset", "12"], ["--uid", "x"], ["--before", "x"], ["--before", "2001"],
    [],
  ])
  func `an invalid attenuation is refused`(options: [String]) throws {
    let file = try folder.write("t", mint().text)
    let words = ["token", "narrow", file, "--file", folder.path + "/n"] + options
    #expect(CommandLineTool.run(words, environment: [:], console: RecordedConsole()) == 64)
    #expect(!folder.has("n"))
  }
}
