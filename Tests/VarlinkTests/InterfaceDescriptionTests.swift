import Foundation
import Limits
import TestSupport
import Testing
import Varlink

struct InterfaceDescriptionTests {
  private static var service: String {
    get throws {
      let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
      return try String(
        contentsOfFile: root + "/Sources/BrokerInterface/Interfaces/org.varlink.service.varlink", encoding: .utf8)
    }
  }

  @Test func `an interface is read with its comments`() throws {
    let interface = try InterfaceDescription(
      parsing: """
        # About it.
        #
        # More.
        interface org.example.Service

        # A kind.
        type Kind (one, two)
        # A thing.
        type Thing (
          # Its kind.
          kind: ?Kind, list: [][string]?Thing, # after
          place: (x: float, y: float))
        # Does.
        method Do(flag: bool) -> (things: []Thing, raw: object)
        # Fails.
        error Failed (code: int)
        error Bare
        """)
    #expect(interface.name == "org.example.Service")
    #expect(interface.comment == ["About it.", "", "More."])
    #expect(interface.members.map(\.name) == ["Kind", "Thing", "Do", "Failed", "Bare"])
    guard case .type(.structure(let fields)) = interface.members[1].kind else { return #expect(Bool(false)) }
    #expect(fields[0] == fields[0] && fields[0].comment == ["Its kind."] && fields[0].type == .optional(.named("Kind")))
    #expect(fields[1].type == .array(.map(.optional(.named("Thing")))))
    #expect(fields[2].comment == ["after"])
    #expect(interface.members[2].comment == ["Does."])
    #expect(interface.members[4].kind == .error(parameters: []))
  }

  @Test func `the canonical text reads back the same and is a fixed point`() throws {
    for text in [
      try Self.service,
      "#a\n#   b\ninterface a.b-c.D\ntype T(x:?[]int,y:[string](a,b),z:())method M()->(t:T)error E()",
    ] {
      let interface = try InterfaceDescription(parsing: text)
      let again = try InterfaceDescription(parsing: interface.description)
      #expect(again == interface)
      #expect(again.description == interface.description)
    }
    #expect(try InterfaceDescription(parsing: Self.service).description == Self.service)
  }

  @Test(arguments: [
    ("", 1, 1), ("interfaces a.B", 1, 1), ("interface a", 1, 11), ("interface a..b", 1, 11), ("interface a.-b", 1, 11),
    ("interface a.B\ntype x (a: int)", 2, 6), ("interface a.B\ntype X (a: int, a: bool)", 2, 18),
    ("interface a.B\ntype X (a: int, b)", 2, 18), ("interface a.B\ntype X (a: ??int)", 2, 17),
    ("interface a.B\ntype X (a: number)", 2, 12), ("interface a.B\ntype X (a_: int)", 2, 9),
    ("interface a.B\ntype X (a__b: int)", 2, 9), ("interface a.B\ntype X (1a: int)", 2, 9),
    ("interface a.B\ntype X (a: [int]int)", 2, 16), ("interface a.B\ntype X (a: int", 2, 15),
    ("interface a.B\nmethod M() - > ()", 2, 13), ("interface a.B\nmethod M(a, b) -> ()", 2, 15),
    ("interface a.B\ntype X ()\n\n  type X ()", 4, 12), ("interface a.B\nwhatever", 2, 1),
    ("interface a.B\ntype X (a: Missing)", 2, 20), ("interface a.B\ntype X (a: int,)", 2, 16),
  ])
  func `an error names its position`(text: String, line: Int, column: Int) {
    let error = #expect(throws: VarlinkError.self) { try InterfaceDescription(parsing: text) }
    #expect(error?.code == .interfaceSyntax)
    #expect(error?.message.hasPrefix("line \(line), column \(column): ") == true, "\(error?.message ?? "")")
  }

  @Test func `the limits of an interface hold`() throws {
    func nested(_ depth: Int) -> String {
      "interface a.B\ntype X " + String(repeating: "(a: ", count: depth) + "int" + String(repeating: ")", count: depth)
    }
    _ = try InterfaceDescription(parsing: nested(15))
    expectFailure(.interfaceSyntax) { try InterfaceDescription(parsing: nested(10_000)) }
    func wide(_ count: Int) -> String {
      "interface a.B\ntype X (" + (0..<count).map { "f\($0): int" }.joined(separator: ",") + ")"
    }
    _ = try InterfaceDescription(parsing: wide(WireLimits.structureFields))
    expectFailure(.interfaceSyntax) { try InterfaceDescription(parsing: wide(WireLimits.structureFields + 1)) }
    let comment = "# " + String(repeating: "x", count: WireLimits.interfaceBytes)
    expectFailure(.limitExceeded) { try InterfaceDescription(parsing: comment) }
  }

  @Test func `truncated and mutated interfaces are refused or read, and never fatal`() throws {
    var random = SeededGenerator(3)
    let seed = Array(try Self.service.utf8)
    for length in 0..<seed.count {
      _ = try? InterfaceDescription(parsing: String(decoding: seed[..<length], as: UTF8.self))
    }
    let symbols = Array("()[]?:,->#\n aA0_.".utf8)
    for _ in 0..<1_000 {
      var text = seed
      for _ in 0..<3 {
        text[Int.random(in: 0..<text.count, using: &random)] = symbols.randomElement(using: &random) ?? 0
      }
      if let interface = try? InterfaceDescription(parsing: String(decoding: text, as: UTF8.self)) {
        #expect((try? InterfaceDescription(parsing: interface.description)) == interface)
      }
    }
  }
}
