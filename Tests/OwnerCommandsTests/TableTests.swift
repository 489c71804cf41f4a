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

  @Test(arguments: [
    "library list", "plugin list", "rule list", "picker list", "picker apps photos", "deletion list",
    "album list photos", "library offers", "asset trash photos", "limits", "request list", "request wait",
    "administrator list", "decisions photos", "grant list", "token list", "app list", "status",
  ])
  func `every list fits 60 columns`(line: String) throws {
    var script = Samples.script
    script["ListOwnedAlbums"] = .reply(
      #"{"albums":[{"album":"a1","title":"Long Title of Summer","count":3,"creator":null,"source":"userLibrary","shared":true,"created":1720000000000000}]}"#
    )
    script["FetchTrashedAssets"] = .reply(#"{"assets":[\#(Samples.asset)],"total":1}"#)
    script["ListPickerApps"] = .reply(
      #"{"apps":[{"app":\#(Samples.app),"times":3,"assets":5,"last":1720000000000000,"loadable":5,"until":1720000000000000}]}"#
    )
    for (method, reply) in script {
      guard case .reply(var text) = reply else { continue }
      for name in ["a1", "acc1", "p1", "k1", "d1"] {
        text = text.replacing("\"\(name)\"", with: "\"\(first)\"")
      }
      let words = String(repeating: "words that go on ", count: 12)
      for name in ["Journal", "Long Title of Summer", "Shows your photos.", "sea.jpg", "A shelf."] {
        text = text.replacing(name, with: words + name)
      }
      script[method] = .reply(text)
    }
    let broker = try ScriptedBroker(in: folder, script)
    defer { broker.stop() }
    let console = RecordedConsole.terminal()
    console.columns = 60
    let words = ["--socket", broker.path] + line.split(separator: " ").map(String.init)
    let more = line == "limits" ? ["--app-socket", broker.path] : []
    #expect(CommandLineTool.run(words + more, environment: [:], console: console) == 0)
    #expect(console.printed.count >= 2, "\(console.everything)")
    #expect(
      console.printed.allSatisfy { ShownText.width($0) <= 60 && !$0.contains(/[0-9a-f]{32}/) },
      "\(console.printed)")
  }

  @Test(arguments: ["library show photos", "grant show photos a1", "status"])
  func `long values break under their column on a terminal, and are whole elsewhere`(line: String) throws {
    var script = Samples.script
    let long = String(repeating: "words that go on ", count: 12)
    for (method, old) in [
      ("WatchLibrary", "/p"), ("ListGrants", "/usr/bin/photobroker"), ("GetStatus", "another user"),
    ] {
      let reply = method == "WatchLibrary" ? .reply(Samples.library()) : script[method]
      guard case .reply(let text)? = reply else { return #expect(Bool(false)) }
      script[method] = .reply(text.replacing("\"\(old)\"", with: "\"\(long)end\""))
    }
    let broker = try ScriptedBroker(in: folder, script)
    defer { broker.stop() }
    func printed(_ console: RecordedConsole, _ more: String...) -> [String] {
      console.columns = 60
      let words = ["--socket", broker.path] + line.split(separator: " ").map(String.init) + more
      #expect(CommandLineTool.run(words, environment: [:], console: console) == 0)
      return console.printed
    }
    let whole = printed(RecordedConsole())
    #expect(whole.contains { $0.contains(long + "end") }, "\(whole)")
    #expect(printed(.terminal(), "--wide") == whole)
    let fitted = printed(.terminal())
    #expect(fitted.allSatisfy { ShownText.width($0) <= 60 } && fitted.count > whole.count + 3, "\(fitted)")
    let words = { (lines: [String]) in lines.flatMap { $0.split(separator: " ") } }
    #expect(words(fitted) == words(whole))
  }

  @Test func `the choice among several requests fits, with short identifiers`() throws {
    let other = "fedcba98" + String(repeating: "b", count: 24)
    let prompts = [first, other].map {
      Samples.prompt.replacing("\"p1\"", with: "\"\($0)\"").replacing(
        "Journal", with: String(repeating: "Journal ", count: 20))
    }
    var script = Samples.script
    script["ListPrompts"] = .reply("{\"prompts\":[\(prompts.joined(separator: ","))]}")
    let broker = try ScriptedBroker(in: folder, script)
    defer { broker.stop() }
    let console = RecordedConsole.terminal("2", "decline")
    console.columns = 80
    let status = CommandLineTool.run(
      ["--socket", broker.path, "request", "answer"], environment: [:], console: console)
    #expect(status == 0 && broker.calls("AnswerPrompt").contains { $0.contains(other) && $0.contains("deny") })
    #expect(console.complaints.count == 3 && console.complaints[2].hasPrefix("2  fedcba98  "))
    #expect((console.complaints + console.printed.prefix(4)).allSatisfy { ShownText.width($0) <= 80 })
  }

  @Test func `long lines break at spaces, and long words anywhere`() {
    let text = "its own words: " + String(repeating: "漢", count: 60) + " and more"
    let lines = ShownText.wrapped(text, to: 40, indent: 2)
    #expect(lines.count > 3 && lines.allSatisfy { ShownText.width($0) <= 40 })
    #expect(lines[0].hasPrefix("  its own words:") && lines[1].hasPrefix("    "))
    #expect(ShownText.wrapped("", to: 40, indent: 2) == ["  "])
  }
}
