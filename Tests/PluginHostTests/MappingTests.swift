import PhotoModel
import PluginHost
import PluginKit
import Testing

struct MappingTests {
  @Test
  func
    `R111 the bundled mapping answers alike in its own process, in this one and as a program, in any batches`()
    throws
  {
    let mapping = IsolatedCloudMapping(name: "content", program: try Installed.finder.program(for: "content"))
    defer { mapping.stop() }
    let items = (0..<2_345).map { number in
      number.isMultiple(of: 5)
        ? CloudItem.album(title: "Album \(number)", created: Timestamp(microseconds: Int64(number) * 86_400_000_000))
        : .asset(digest: (0..<32).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) })
    }
    let isolated = try mapping.cloudIdentifiers(for: items, application: "org.example.journal")
    let trusted = TrustedCloudMapping(name: "content", object: try Installed.object("content"))
    defer { trusted.stop() }
    #expect(try trusted.cloudIdentifiers(for: items, application: "org.example.journal") == isolated)
    let installed = try Installed()
    try installed.install("content", python: PythonPlugin.mapping)
    let program = IsolatedCloudMapping(name: "content", program: try installed.finder.program(for: "content"))
    defer { program.stop() }
    #expect(try program.cloudIdentifiers(for: items, application: "org.example.journal") == isolated)
    #expect(isolated.allSatisfy { $0 != nil })
    #expect(try mapping.cloudIdentifiers(for: [], application: "org.example.journal").isEmpty)
  }

  /// Returns an empty identifier for one item, and none for another.
  private final class Nameless: CloudMapping {
    init(options: PluginOptions) throws(PluginError) {}
    func cloudIdentifiers(for items: [CloudItem], application: String) throws(PluginError) -> [String?] {
      items.map { item in
        if case .album(let title, _) = item { return title == "none" ? nil : title }
        return "asset"
      }
    }
  }

  @Test func `R104 an empty name is a fault, and an absent one is not`() throws {
    let registry = PluginRegistry()
    registry.add(cloudMapping: "nameless", Nameless.self, summary: "A test.")
    let mapping = TrustedCloudMapping(name: "nameless", object: TrustedObject(registry) { _ in })
    defer { mapping.stop() }
    func names(_ titles: [String]) throws -> [String?] {
      try mapping.cloudIdentifiers(
        for: titles.map { .album(title: $0, created: Timestamp(microseconds: 0)) }, application: "org.example.journal")
    }
    #expect(try names(["a", "none"]) == ["a", nil])
    #expect {
      try names(["a", ""])
    } throws: { error in
      (error as? PluginFailure)?.code == .failed && "\(error)".contains("empty text")
    }
  }
}
