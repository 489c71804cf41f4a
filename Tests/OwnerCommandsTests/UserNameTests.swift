import Testing

@testable import OwnerCommands

/// Users by name; root exists on every machine.
@Suite struct UserNameTests {
  private let folder: ScratchFolder
  private let broker: ScriptedBroker

  init() throws {
    folder = try ScratchFolder()
    broker = try ScriptedBroker(in: folder, Samples.script)
  }

  private func run(_ line: String) -> (status: Int32, console: RecordedConsole) {
    let console = RecordedConsole()
    let words = ["--socket", broker.path] + line.split(separator: " ").map(String.init)
    return (CommandLineTool.run(words, environment: [:], console: console), console)
  }

  @Test(arguments: [
    ("library offer photos USER,1001", "OfferLibrary", #""offeredTo":[0,1001]"#),
    ("library offer photos --add USER --remove 1001", "OfferLibrary", #""add":[0],"remove":[1001]"#),
    ("library delegate photos --add-owner USER", "DelegateLibrary", #""add":[0]"#),
    ("library decline --from USER", "AnswerOffers", #""user":0"#),
    ("administrator add USER", "SetAdministrators", #""administrators":[3000,0]"#),
    ("grant pause --uid USER", "PauseGrant", #""uid":0"#), ("grant revoke --uid USER --yes", "Revoke", #""uid":0"#),
    ("apply FILE", "Apply", #""uid":0"#),
  ])
  func `a user is named by name or number, and an unknown name is never sent`(
    line: String, method: String, sent: String
  ) throws {
    defer { broker.stop() }
    func named(_ user: String) throws -> (status: Int32, console: RecordedConsole) {
      let rule =
        #"{"library":"photos","name":"r","uid":"\#(user)","level":"readWrite","answer":"allow"}"#
      let file = try folder.write("\(user).json", #"{"rules":[\#(rule)]}"#)
      return run(line.replacing("USER", with: user).replacing("FILE", with: file))
    }
    let unknown = try named("no-such-user")
    #expect(unknown.status == (method == "Apply" ? 65 : 64) && broker.calls(method).isEmpty)
    #expect(unknown.console.complaints.joined().contains("no user no-such-user"))
    #expect(try named("root").status == 0)
    #expect(broker.calls(method).last?.contains(sent) == true)
  }

  @Test(arguments: [
    ("library offer photos 0,4000001", ["4000001"]), ("grant pause --uid 4000001", ["4000001"]),
    ("administrator add 4000002,4000001", ["4000001, 4000002"]), ("library decline --from 4000001", ["4000001"]),
    ("library offer photos 0", []), ("grant pause --uid 4000001 --json", []),
  ])
  func `a number without an account is taken, with a note`(line: String, users: [String]) {
    defer { broker.stop() }
    let result = run(line)
    #expect(result.status == 0, "\(result.console.everything)")
    #expect(
      result.console.complaints.filter { $0.contains("no user") }
        == users.map { "photobroker: note: this machine has no user \($0)" })
  }

  @Test func `lists show names beside numbers`() {
    defer { broker.stop() }
    for line in ["library list", "administrator list"] {
      #expect(run(line).console.printed.contains { $0.contains("0 (root)") }, "\(line)")
    }
  }
}
