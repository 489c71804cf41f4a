import BrokerInterface
import Foundation
import Testing
import Varlink

@testable import varlink_generate

struct GeneratedCodeTests {
  @Test func `the committed Swift is what the generator makes of the interfaces`() throws {
    let files = try InterfaceFiles.all
    #expect(files.count >= 3)
    var folders: Set<String> = []
    for file in files {
      let generator = try VarlinkGenerate.generator(for: file.path, access: .public)
      let folder = InterfaceFiles.root.appendingPathComponent("Generated/\(generator.namespace)")
      folders.insert(generator.namespace)
      let committed = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
      let generated = try generator.files()
      #expect(committed == Set(generated.map(\.name)), "run scripts/generate-interfaces")
      for file in generated where committed.contains(file.name) {
        let text = try String(contentsOf: folder.appendingPathComponent(file.name), encoding: .utf8)
        #expect(text == file.text, "\(file.name) is stale: run scripts/generate-interfaces")
      }
    }
    let present = Set(
      try FileManager.default.contentsOfDirectory(atPath: InterfaceFiles.root.appendingPathComponent("Generated").path))
    #expect(present == folders, "a folder in Generated belongs to no interface")
  }

  @Test func `the embedded text is the interface file`() throws {
    func text(_ name: String) throws -> String {
      try InterfaceFiles.text(InterfaceFiles.root.appendingPathComponent("Interfaces/\(name).varlink"))
    }
    #expect(try text(Library.interfaceName) == Library.interfaceText)
    #expect(try text(Admin.interfaceName) == Admin.interfaceText)
    #expect(try text(VarlinkService.interfaceName) == VarlinkService.interfaceText)
  }

  @Test func `every error of the service's interface is one of those that the wire answers`() throws {
    let interface = try InterfaceDescription(parsing: VarlinkService.interfaceText)
    for member in interface.members {
      guard case .error(let parameters) = member.kind else { continue }
      let values = parameters.map { "\"\($0.name)\":\"x\"" }.joined(separator: ",")
      let reply = try Reply(message: Array(#"{"error":"org.varlink.service.\#(member.name)","parameters":{\#(values)}}"#.utf8))
      let error = try #require(try ServiceError(reply: reply), "\(member.name)")
      #expect("\(error.name)" == "org.varlink.service.\(member.name)")
    }
  }

  @Test func `a name that Swift would hide is refused`() throws {
    let source = "interface a.B\ntype String (x: int)"
    let generator = SwiftGenerator(interface: try InterfaceDescription(parsing: source), source: source, access: .public)
    #expect(throws: GenerationError.self) { try generator.files() }
  }

  @Test func `keywords are escaped and types in place are nested`() throws {
    let source = "interface a.B\ntype T (in: ?int, kind: (one, default), list: []?(x: float), reader: bool)"
    let generator = SwiftGenerator(interface: try InterfaceDescription(parsing: source), source: source, access: .package)
    let text = try #require(try generator.files().first { $0.name == "B+T.swift" }).text
    #expect(text.contains("package import Varlink\n"))
    #expect(text.contains("package var `in`: Int64?\n"))
    #expect(text.contains("package enum Kind: String"))
    #expect(text.contains("case `default`\n"))
    #expect(text.contains("package var list: [List?]\n"))
    #expect(text.contains("package struct List: "))
    #expect(text.contains("var readerValue: Bool?\n"))
  }
}
