import Foundation
import Testing
import Varlink

@testable import OwnerCommands

@Suite struct BrokerErrorTests {
  private let folder: ScratchFolder
  private static let units =
    #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/scripts/systemd/"

  init() throws { folder = try ScratchFolder() }

  @Test(
    arguments: [
      ("io.photobroker.Admin.NotFound", #"{"what":"library","message":"No such library."}"#, 66, "No such library."),
      ("io.photobroker.Admin.NotPermitted", #"{"message":"Owners only."}"#, 77, "Owners only."),
      ("io.photobroker.Admin.Refused", #"{"message":"Bad name."}"#, 65, "Bad name."),
      ("io.photobroker.Admin.Failed", #"{"message":"Disk full."}"#, 74, "Disk full."),
      // A broker that also sends a reason code, even an unknown one.
      (
        "io.photobroker.Admin.Refused",
        #"{"message":"Full.","reason":{"code":"albumFull","values":{"limit":"9"},"parts":[{"code":"x","text":"y"}],"text":"Full."}}"#,
        65,
        "Full."
      ),
      ("io.photobroker.Library.PromptPending", #"{"message":"Asked."}"#, 75, "Asked."),
      ("io.photobroker.Library.NobodyToAsk", #"{"owners":["anna"],"message":"Nobody."}"#, 75, "Nobody."),
      (
        "io.photobroker.Library.PhotosError", #"{"code":3311,"reason":"accessUserDenied","message":"Denied."}"#, 70,
        "Denied."
      ),
      ("org.varlink.service.PermissionDenied", "{}", 77, "PermissionDenied"),
      ("org.varlink.service.InvalidParameter", #"{"parameter":"name"}"#, 65, "parameter name"),
      ("org.varlink.service.ExpectedMore", "{}", 64, "--more"),
    ] as [(String, String, Int32, String)])
  func `an error reply is printed with its message and mapped`(
    name: String, parameters: String, status: Int32, message: String
  ) throws {
    let broker = try ScriptedBroker(in: folder, ["ListLibraries": .error(name, parameters)])
    defer { broker.stop() }
    let people = run("library", "list", broker: broker)
    #expect(people.status == status)
    #expect(people.console.printed.isEmpty)
    #expect(people.console.complaints.joined().contains(message))
    let json = run("library", "list", "--json", broker: broker)
    let document = try JSONObjectSample.read(json.console.complaints.joined())
    #expect(document["error"] == .string(name))
    #expect(document["exitCode"] == .integer(Int64(status)))
    for entry in try JSONObjectSample.read(parameters).entries { #expect(document[entry.key] == entry.value) }
  }

  @Test func `an answer to a prompt or picker that is not waiting names the waiting ones`() throws {
    var script = Samples.script
    script["AnswerPrompt"] = .error("io.photobroker.Admin.NotFound", #"{"what":"prompt","message":"None."}"#)
    let broker = try ScriptedBroker(in: folder, script)
    defer { broker.stop() }
    let request = run("request", "answer", "p9", "decline", broker: broker)
    #expect(request.status == 66)
    #expect(request.console.complaints == ["photobroker: No request p9 waits for you. Waiting: p1 “Journal”."])
    let picker = run("picker", "answer", "k9", "--preselected", broker: broker)
    #expect(picker.console.complaints == ["photobroker: No picker k9 waits for you. Waiting: k1 “Journal”."])
    let json = run("request", "answer", "p9", "decline", "--json", broker: broker)
    #expect(try JSONObjectSample.read(json.console.complaints.joined())["message"] == .string("None."))
    script["ListPrompts"] = .reply(#"{"prompts":[]}"#)
    let idle = try ScriptedBroker(in: folder, named: "idle.sock", script)
    defer { idle.stop() }
    #expect(
      run("request", "answer", "p9", "decline", broker: idle).console.complaints == [
        "photobroker: No request p9 waits for you. None waits."
      ])
  }

  @Test func `a method missing in the broker is named`() throws {
    let broker = try ScriptedBroker(in: folder, [:])
    defer { broker.stop() }
    let result = run("status", broker: broker)
    #expect(result.status == 65)
    #expect(result.console.complaints.joined().contains("io.photobroker.Admin.GetStatus"))
  }

  @Test(arguments: ["nonsense", "GetStatus", "io.photobroker.Admin.getStatus", "io..Admin.GetStatus", "a b.c.D", ""])
  func `an invalid method name is not sent, and a valid one is shown`(name: String) throws {
    let broker = try ScriptedBroker(in: folder, [:])
    defer { broker.stop() }
    let result = run("call", name, broker: broker)
    #expect(result.status == 64 && broker.methods.isEmpty)
    #expect(result.console.complaints.joined().contains("io.photobroker.Admin.GetStatus."))
  }

  @Test func `a mistyped method names the command that lists methods`() throws {
    let broker = try ScriptedBroker(
      in: folder, ["X": .error("org.varlink.service.InterfaceNotFound", #"{"interface":"a.b"}"#)])
    defer { broker.stop() }
    let method = run("call", "io.photobroker.Admin.Nonsense", broker: broker)
    #expect(method.status == 65)
    #expect(
      method.console.complaints.joined().contains(#"GetInterfaceDescription '{"interface":"io.photobroker.Admin"}'"#))
    let interface = run("call", "a.b.X", broker: broker)
    #expect(interface.status == 65)
    #expect(interface.console.complaints.joined().contains("org.varlink.service.GetInfo"))
  }

  @Test func `an error in a file is named by line and column, in characters`() throws {
    let path = try folder.write("manifest.json", "{\n  \"name\": \"Éé\", \"name\": 1}")
    let result = run("doctor", path)
    #expect(result.status == 65)
    #expect(result.console.complaints.joined().contains("line 2, column"), "\(result.console.complaints)")
    #expect(!result.console.complaints.joined().contains("varlink:"))
  }

  @Test(arguments: [
    "not json", "{}{}", #"{"parameters":[]}"#, #"{"parameters":{"version":1}}"#, #"{"parameters":{}}"#,
    #"{"continues":3}"#,
  ])
  func `an invalid answer ends with 76`(message: String) throws {
    let broker = try ScriptedBroker(in: folder, ["GetStatus": .rawMessage(message)])
    defer { broker.stop() }
    #expect(run("status", broker: broker).status == 76)
  }

  @Test func `a lost broker is reported as gone`() throws {
    let broker = try ScriptedBroker(in: folder, ["GetStatus": .hangUp])
    defer { broker.stop() }
    let result = run("status", broker: broker)
    #expect(result.status == 69)
    #expect(result.console.complaints.joined().contains("The connection to the broker ended"))
  }

  @Test func `a missing socket gives the command that starts the daemon`() throws {
    for path in [folder.path + "/none", try folder.write("file", "")] {
      let result = run("--socket", path, "status")
      #expect(result.status == 69)
      let named = result.console.complaints.joined().split(whereSeparator: \.isWhitespace).filter {
        $0.hasSuffix(".socket")
      }
      #expect(!named.isEmpty)
      // The units exist, for the system and for users.
      for unit in named {
        for place in ["", "user/"] {
          #expect(FileManager.default.fileExists(atPath: Self.units + place + unit), "\(place)\(unit)")
        }
      }
    }
    #expect(run("--socket", "/" + String(repeating: "x", count: 200), "status").status == 69)
  }

  @Test func `the socket comes from option, variable, user or system, in this order`() throws {
    let user = try ScratchFolder()
    let none = Arguments()
    #expect(SocketLocation.owner(none, [:]) == "/run/photobroker/admin.sock")
    #expect(SocketLocation.owner(none, ["XDG_RUNTIME_DIR": user.path]) == "/run/photobroker/admin.sock")
    let variables = ["XDG_RUNTIME_DIR": user.path, "PHOTOBROKER_ADMIN_SOCKET": "/v/admin.sock"]
    #expect(SocketLocation.owner(none, variables) == "/v/admin.sock")
    #expect(SocketLocation.apps(none, variables) == "/v/photobroker.sock")
    #expect(SocketLocation.apps(none, ["PHOTOBROKER_SOCKET": "/a"]) == "/a")
    let broker = try ScriptedBroker(in: user, named: "s", ["GetStatus": .reply(Samples.status)])
    defer { broker.stop() }
    #expect(run("status", environment: ["PHOTOBROKER_ADMIN_SOCKET": broker.path]).status == 0)
  }
}
