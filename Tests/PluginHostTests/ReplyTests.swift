import Foundation
import Glibc
import PhotoModel
import PluginHost
import PluginKit
import Testing

/// Every reply of `io.photobroker.Plugin` with a field missing, of another type, or cut off is an
/// error that names the plugin.
struct ReplyTests {
  /// A valid reply, and the call for it.
  struct Reply: Sendable {
    let method: String
    /// The valid parameters, as JSON.
    let right: String
    /// Fields that may be missing.
    let optional: Set<String>
    let call: @Sendable (Program) throws -> Void

    init(
      _ method: String, _ right: String, optional: Set<String> = [],
      _ call: @escaping @Sendable (Program) throws -> Void
    ) {
      self.method = method
      self.right = right
      self.optional = optional
      self.call = call
    }
  }

  /// A plugin program with the reply that it sends.
  struct Program {
    let installed: Installed
    let settings: PluginSettings

    func with<T>(_ storage: (IsolatedStorage) throws -> T) throws -> T {
      let plugin = IsolatedStorage(
        name: "scripted", settings: settings, program: try installed.finder.program(for: "scripted"))
      defer { plugin.stop() }
      return try storage(plugin)
    }

    func decide() throws -> AlbumPolicyAnswer {
      let policy = IsolatedAlbumPolicy(
        name: "scripted", settings: settings, program: try installed.finder.program(for: "scripted"))
      defer { policy.stop() }
      return try policy.decide(FaultTests.question(1))
    }

    func nameItems() throws -> [String?] {
      let mapping = IsolatedCloudMapping(
        name: "scripted", settings: settings, program: try installed.finder.program(for: "scripted"))
      defer { mapping.stop() }
      let album = CloudItem.album(title: "Album", created: Timestamp(microseconds: 1))
      return try mapping.cloudIdentifiers(for: [album], application: "org.example.journal")
    }
  }

  private static let file =
    #"{"role":"original","locator":"a.jpg","filename":"a.jpg","size":1,"#
    + #""contentVersion":"1","identityHint":null,"modified":0}"#

  static let replies = [
    Reply(
      "Facts",
      #"{"root":"/tmp","changeDetection":"watch","isReadOnly":false,"notice":"n","cacheBytes":1,"ranges":true}"#,
      optional: ["root", "notice", "cacheBytes", "ranges"]
    ) { try $0.with { _ = try $0.facts() } },
    Reply(
      "Enumerate", #"{"items":[],"skipped":0,"unreadable":["a"],"volumes":[]}"#,
      optional: ["unreadable", "volumes"]
    ) { try $0.with { _ = try $0.enumerate { _ in } } },
    Reply("WaitForChanges", #"{"changed":true,"folders":[]}"#, optional: ["folders"]) {
      try $0.with { _ = try $0.waitForChanges(milliseconds: 1) }
    },
    Reply("Add", #"{"item":{"files":["# + file + #"],"source":"userLibrary"}}"#) {
      try $0.with { storage in
        let contents = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(contents) }
        _ = try storage.add(name: "a.jpg", contents: contents, size: 0, folder: nil)
      }
    },
    Reply("Stage", #"{"staged":"one","identityHint":"1"}"#) {
      try $0.with { storage in
        let contents = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(contents) }
        _ = try storage.stage(contents: contents, size: 0)
      }
    },
    Reply("Publish", #"{"item":{"files":["# + file + #"],"source":"userLibrary"}}"#) {
      try $0.with { _ = try $0.publish(StagedFile(name: "one", identityHint: "1"), name: "a.jpg") }
    },
    Reply("DecideAlbums", #"{"visible":[],"editable":[],"mayCreate":false}"#) { _ = try $0.decide() },
    Reply("NameItems", #"{"names":["name"]}"#) { _ = try $0.nameItems() },
    Reply("Start", #"{"kit":1}"#) { try $0.with { _ = try $0.facts() } },
  ]

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let reply: Reply
    /// The parameters sent in place of the valid ones.
    let sent: String
  }

  /// Values of the wrong types, among them a number beyond any integer.
  private static let values = ["true", "1e300", #""x""#, "[]", "{}", "99999999999999999999"]

  private static func fields(of reply: Reply) -> [(name: String, value: String)] {
    guard let object = try? JSONSerialization.jsonObject(with: Data(reply.right.utf8)) as? [String: Any] else {
      return []
    }
    return object.sorted { $0.key < $1.key }.map { name, value in
      let bytes = try? JSONSerialization.data(
        withJSONObject: value, options: [.fragmentsAllowed, .withoutEscapingSlashes])
      return (name, bytes.map { String(decoding: $0, as: UTF8.self) } ?? "null")
    }
  }

  /// Returns a value's type; a number beyond any integer counts as no number.
  private static func type(of json: String) -> Character {
    switch json.first {
    case "t", "f": "b"
    case "\"", "[", "{": json.first ?? "n"
    case "n": "n"
    default: json.count > 3 ? "n" : "0"
    }
  }

  private static func text(_ fields: [(name: String, value: String)]) -> String {
    "{" + fields.map { #""\#($0.name)":\#($0.value)"# }.joined(separator: ",") + "}"
  }

  /// Replies that are wrong for any meaning of their fields.
  static let wrong: [Case] = replies.flatMap { reply in
    let right = fields(of: reply)
    var cases: [Case] = []
    for (index, field) in right.enumerated() {
      // One wrong value for each field, since every case starts a process.
      let others = values.filter { type(of: $0) != type(of: field.value) }
      var other = right
      other[index].value = others[index % others.count]
      cases.append(
        Case(testDescription: "\(reply.method) \(field.name) \(other[index].value)", reply: reply, sent: text(other)))
      if !reply.optional.contains(field.name) {
        var less = right
        less.remove(at: index)
        cases.append(Case(testDescription: "\(reply.method) without \(field.name)", reply: reply, sent: text(less)))
        less.insert((field.name, "null"), at: index)
        cases.append(Case(testDescription: "\(reply.method) \(field.name) null", reply: reply, sent: text(less)))
      }
    }
    let cut = String(reply.right.dropLast())
    return cases + [Case(testDescription: "\(reply.method) cut off", reply: reply, sent: cut)]
  }

  private static let scripted =
    PythonPlugin.wire + #"""
      method, sent = "", ""
      rest = {"type": "text", "optional": False, "secret": False, "summary": ""}
      options = [{"name": n, **rest} for n in ("method", "sent")]
      offer = {"name": "scripted", "summary": "", "options": options}
      plugins = [{"protocol": p, **offer} for p in ("albumPolicy", "cloudMapping")]
      plugins.append({"protocol": "storage", **offer, "capabilities": ["add", "stage"]})
      right = {"Start": {"kit": 1}, "Describe": {"kit": 1, "plugins": plugins}}
      for called, parameters, files in calls():
          if called == "Start": method, sent = parameters["options"]["method"], parameters["options"]["sent"]
          if called == method: channel.sendall(b'{"parameters":' + sent.encode() + b"}\0")
          elif called in right: answer(right[called])
          else: refuse("unsupported", "It does not say.")
      """#

  private func program(_ reply: Reply, _ sent: String) throws -> Program {
    let installed = try Installed()
    try installed.install("scripted", python: Self.scripted)
    return Program(installed: installed, settings: PluginSettings(options: ["method": reply.method, "sent": sent]))
  }

  @Test func `correct replies are accepted, unknown fields included`() throws {
    for reply in Self.replies where reply.method != "Start" {
      try reply.call(program(reply, reply.right))
      try reply.call(program(reply, reply.right.dropLast() + #","later":[1,{"a":null}]}"#))
    }
  }

  @Test(arguments: wrong) func `R136 a reply with a wrong field is an error with the plugin's name`(_ one: Case) throws
  {
    #expect { try one.reply.call(program(one.reply, one.sent)) } throws: { error in
      let message = (error as? PluginFailure)?.message ?? ""
      #expect(message.contains("(scripted): ") && message.utf8.count < 1_024, "\(message)")
      #expect(message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f })
      return error is PluginFailure
    }
  }
}
