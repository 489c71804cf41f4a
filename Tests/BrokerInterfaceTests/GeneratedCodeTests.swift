import BrokerInterface
import Foundation
import Testing
import Varlink

@testable import varlink_generate

struct GeneratedCodeTests {
  @Test func `the embedded text is the interface file`() throws {
    func text(_ name: String) throws -> String {
      try InterfaceFiles.text(InterfaceFiles.root.appendingPathComponent("Interfaces/\(name).varlink"))
    }
    #expect(try text(Library.interfaceName) == Library.interfaceText)
    #expect(try text(Admin.interfaceName) == Admin.interfaceText)
    #expect(try text(VarlinkService.interfaceName) == VarlinkService.interfaceText)
  }

  @Test func `every error of the service interface is one that the wire answers`() throws {
    let interface = try InterfaceDescription(parsing: VarlinkService.interfaceText)
    for member in interface.members {
      guard case .error(let parameters) = member.kind else { continue }
      let values = parameters.map { "\"\($0.name)\":\"x\"" }.joined(separator: ",")
      let reply = try Reply(
        message: Array(#"{"error":"org.varlink.service.\#(member.name)","parameters":{\#(values)}}"#.utf8))
      let error = try #require(try ServiceError(reply: reply), "\(member.name)")
      #expect("\(error.name)" == "org.varlink.service.\(member.name)")
    }
  }

  @Test func `a name that would shadow a Swift name is refused`() throws {
    #expect(throws: GenerationError.self) { try Self.swift("type String (x: int)") }
  }

  static func swift(_ members: String) throws -> String {
    let source = "interface a.B\n" + members
    return try SwiftGenerator(interface: try InterfaceDescription(parsing: source), source: source).text()
  }

  @Test(arguments: [
    ("# Many. Range: 1 to 1,000. Null: 100.\nx: ?int", "&x, in: 1...1_000)"),
    ("# Range: -840 to\n# 840.\nx: int", "&x, in: -840...840)"),
    ("# Range: 0 to 4,294,967,294.\nx: ?[]int", "&x, in: 0...4_294_967_294)"),
    ("# Range: -90.5 to 90.\nx: float", "&x, in: -90.5...90)"),
    ("# In the range 1 to 9.\nx: int", "&x)"),
  ])
  func `a range in a number's comment becomes a decoder check`(field: String, read: String) throws {
    #expect(try Self.swift("type T (\n\(field)\n)").contains("into: " + read + " {"))
  }

  @Test(arguments: [
    "# Range: 1 to 1,000.\nx: string", "# Range: 1 to 9.\nx: bool", "# Range: 1 to 9.\nx: T",
    "# Range: 1 to 9.\nx: [string]int",
    "# Range: 2 to 1.\nx: int", "# Range: 1.5 to 2.\nx: int", "# Range: 1-9.\nx: int", "# Range: 1 to 9\nx: int",
    "# Range: 1 or more.\nx: int",
    "# Range: 0 to 9,223,372,036,854,775,808.\nx: int",
  ])
  func `an unreadable or unenforceable range is refused`(field: String) throws {
    #expect(throws: GenerationError.self) { try Self.swift("type T (\n\(field)\n)") }
  }

  @Test(
    arguments: [
      (#"{"name":"x","offeredTo":[0,4294967294]}"#, nil, nil),
      (
        #"{"name":"x","offeredTo":[0,4294967295]}"#, "offeredTo[1]",
        "a number is outside of the range 0 to 4294967294"
      ),
      (#"{"name":"x","add":[-1]}"#, "add[0]", "a number is outside of the range 0 to 4294967294"),
      (#"{"name":"x","add":[99999999999999999999]}"#, "add[0]", "a number does not fit a 64-bit integer"),
    ] as [(String, String?, String?)])
  func `a number out of range is refused with the field's name and range`(
    text: String, field: String?, problem: String?
  ) throws {
    let read = Result { () throws(VarlinkError) in
      try Admin.OfferLibrary.Parameters(message: Array(text.utf8), rules: .server)
    }
    var refusal: ServiceError?
    if case .failure(let error) = read { refusal = ServiceError(error) }
    #expect(refusal == field.map { .invalidParameter(parameter: $0, problem: problem) })
  }

  @Test func `a client accepts a newer interface's number out of range`() throws {
    let rule = #"{"library":"l","name":"r","uid":-5,"level":"readWrite","answer":"allow"}"#
    #expect(try Admin.Rule(message: Array(rule.utf8), rules: .client).uid == -5)
    #expect(throws: VarlinkError.self) { try Admin.Rule(message: Array(rule.utf8), rules: .server) }
  }

  @Test func `keywords are escaped and inline types are nested`() throws {
    let text = try Self.swift("type T (in: ?int, kind: (one, default), list: []?(x: float), reader: bool)")
    #expect(text.contains("public import Varlink\n"))
    #expect(text.contains("public var `in`: Int64?\n"))
    #expect(text.contains("public enum Kind: String"))
    #expect(text.contains("case `default`\n"))
    #expect(text.contains("public var list: [List?]\n"))
    #expect(text.contains("public struct List: "))
    #expect(text.contains("var readerValue: Bool?\n"))
  }
}
