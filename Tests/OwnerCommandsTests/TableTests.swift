import Testing

@testable import OwnerCommands

@Suite struct TableTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private let first = "01234567" + String(repeating: "a", count: 24)
  private let second = "012345678" + String(repeating: "b", count: 23)

  @Test func `identifiers are shortened to unique prefixes of at least 8 digits`() {
    var alone = Table("ASSET", "FILE")
    alone.add(first, "sea.jpg")
    #expect(alone.fitted(to: 80).lines == ["ASSET     FILE", "01234567  sea.jpg"])
    var table = alone
    table.add(second, "lake.jpg")
    #expect(table.fitted(to: 80).lines[1...].map { $0.prefix(9) } == ["01234567a", "012345678"])
    #expect(table.lines[2].contains(second), "the whole table is unchanged")
  }

  @Test(arguments: [20, 40, 80, 120]) func `a wide table fits, its spare columns first`(
    columns: Int
  ) {
    var table = Table("FILE", "FROM", "WORDS", spare: ["FROM"])
    table.add("sea.jpg", "/usr/bin/photobroker", String(repeating: "漢 long ", count: 40))
    let lines = table.fitted(to: columns).lines
    #expect(lines.allSatisfy { ShownText.width($0) <= columns }, "\(lines)")
    #expect(lines[1].hasPrefix("sea.jpg") && lines[1].hasSuffix("…"))
    #expect(lines[0].contains("FROM") == (columns >= 40))
  }

  @Test func `a wide table keeps the names of its rows and the days and minutes of times`() {
    var table = Table("DECISION", "TIME", "WHAT")
    table.add("1795999935589934*", "2026-11-30T00:52:15+00:00", String(repeating: "long ", count: 40))
    #expect(table.fitted(to: 50).lines[1].hasPrefix("1795999935589934*  2026-11-30 00:52  long"))
    #expect(table.fitted(to: 400).lines[1].contains("00:52:15+00:00"))
  }

  @Test(arguments: [
    "log photos", "decisions photos", "app list", "grant list", "asset list photos", "token list",
  ])
  func `lists fit a terminal, and are whole elsewhere and with --wide`(line: String) throws {
    var script = Samples.script
    for (method, reply) in script {
      guard case .reply(let text) = reply else { continue }
      script[method] = .reply(
        text.replacing("\"a1\"", with: "\"\(first)\"").replacing("\"acc1\"", with: "\"\(first)\"")
          .replacing("\"x\"", with: "\"\(first)\""))
    }
    let broker = try ScriptedBroker(in: folder, script)
    defer { broker.stop() }
    func printed(_ console: RecordedConsole, _ more: String...) -> [String] {
      let words = ["--socket", broker.path] + line.split(separator: " ").map(String.init) + more
      #expect(CommandLineTool.run(words, environment: [:], console: console) == 0)
      return console.printed
    }
    let whole = printed(RecordedConsole())
    #expect(printed(.terminal(), "--wide") == whole)
    #expect(whole.joined().contains(/[0-9a-f]{32}/) || line.hasPrefix("decisions"))
    let fitted = printed(.terminal())
    let table = fitted.prefix {
      !$0.isEmpty && !$0.hasPrefix("For older") && !$0.hasPrefix("photos, ")
    }
    #expect(
      table.allSatisfy { ShownText.width($0) <= 120 && !$0.contains(/[0-9a-f]{32}/) }, "\(fitted)")
  }
}
