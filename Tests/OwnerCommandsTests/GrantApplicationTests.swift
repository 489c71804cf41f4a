import Testing
import Varlink

@testable import OwnerCommands

@Suite struct GrantApplicationTests {
  private let folder: ScratchFolder
  private let file: String

  init() throws {
    folder = try ScratchFolder()
    file = try folder.write("grants.json", #"{"grants":[{"library":"photos","app":"org.example.journal","level":"readWrite","status":"authorized","expires":"2100-01-01T00:00Z","select":[{"createdFrom":"1970-01-01T00:00:01Z"},{"last":2}]},{"library":"photos","app":"a1","level":"readWrite","status":"limited"}]}"#)
  }

  @Test func `a file is applied entry by entry`() throws {
    let broker = try ScriptedBroker(in: folder, Samples.script)
    defer { broker.stop() }
    let result = run("grant", "apply", file, "--json", broker: broker)
    #expect(result.status == 0)
    #expect(broker.calls("SetGrant") == [
      #"{"library":"photos","app":"a1","level":"readWrite","status":"authorized","expires":4102444800000000}"#,
      #"{"library":"photos","app":"a1","level":"readWrite","status":"limited"}"#,
    ])
    #expect(broker.calls("EditSelection") == [
      #"{"library":"photos","app":"a1","add":{"createdFrom":1000000}}"#, #"{"library":"photos","app":"a1","add":{"last":2}}"#,
    ])
    #expect(try JSONObjectSample.read(result.console.printed.joined())["applied"] == .bool(true))
  }

  @Test func `what would change is shown, and nothing is changed by a preview or a no`() throws {
    let broker = try ScriptedBroker(in: folder, Samples.script)
    defer { broker.stop() }
    let preview = run("grant", "apply", file, "--preview", broker: broker)
    #expect(preview.status == 0)
    #expect(preview.console.printed.first?.contains("limited, 3 selected becomes authorized") == true)
    #expect(preview.console.printed.first?.contains("2024/sea.jpg") == true)
    #expect(preview.console.printed.last?.contains("stays as it is") == true)
    #expect(run("grant", "apply", file, broker: broker, console: .terminal("n")).status == 1)
    #expect(!broker.methods.contains { $0 == "SetGrant" || $0 == "EditSelection" })
    #expect(run("grant", "apply", file, broker: broker, console: .terminal("y")).status == 0)
    #expect(broker.calls("SetGrant").count == 2)
  }

  @Test func `a failure names its entry`() throws {
    var script = Samples.script
    script["EditSelection"] = .error("io.photobroker.Admin.Refused", #"{"message":"Not limited."}"#)
    let broker = try ScriptedBroker(in: folder, script)
    defer { broker.stop() }
    let result = run("grant", "apply", file, broker: broker)
    #expect(result.status == 65)
    #expect(result.console.complaints.joined().contains("Entry 1, org.example.journal in photos: Not limited."))
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"grants":1}"#, #"{"grants":[],"x":1}"#, #"{"grants":[1]}"#, #"{"grants":[{"library":"l","app":"a"}]}"#,
    #"{"grants":[{"library":"l","app":"a","level":"all"}]}"#, #"{"grants":[{"library":"l","app":"a","level":"addOnly","stauts":"denied"}]}"#,
    #"{"grants":[{"library":"l","app":"a","level":"addOnly","status":"yes"}]}"#,
    #"{"grants":[{"library":"l","app":"a","level":"readWrite","select":[{}]}]}"#,
    #"{"grants":[{"library":"l","app":"a","level":"readWrite","select":[{"globe":"x"}]}]}"#,
    #"{"grants":[{"library":"l","app":"a","level":"readWrite","select":{"all":true}}]}"#,
  ])
  func `a file that makes no sense is refused before anything is changed`(text: String) throws {
    let file = try folder.write("bad.json", text)
    #expect(run("grant", "apply", file, "--socket", "/nonexistent").status == 65)
  }
}
