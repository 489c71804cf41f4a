import BrokerInterface
import Glibc
import Testing
import Varlink

@testable import OwnerCommands

@Suite struct ArgumentParserTests {
  private func parse(_ line: String) throws -> Arguments {
    let words = line.split(separator: " ").map(String.init)
    guard case .run(_, let arguments) = try ArgumentParser(root: CommandTable.root).parse(words) else {
      throw CommandError.usage("not a run")
    }
    return arguments
  }

  @Test(arguments: [
    "--socket /s grant select photos app --name a.jpg --json",
    "grant --socket=/s select --name=a.jpg photos --json app",
    "grant select --json --socket /s --name a.jpg -- photos app",
  ])
  func `options stand anywhere and take their value with a space or an equals sign`(line: String) throws {
    let arguments = try parse(line)
    #expect(arguments.path == ["grant", "select"])
    #expect(arguments[.library] == "photos")
    #expect(arguments[.app] == "app")
    #expect(arguments[.socket] == "/s")
    #expect(arguments[SelectorOptions.name] == "a.jpg")
    #expect(arguments.has(.json))
    #expect(!arguments.has(.yes))
  }

  @Test func `identifiers continue until the next option`() throws {
    let arguments = try parse("grant select photos app --id a b,c d --id e --preview")
    #expect(try SelectorOptions.selector(arguments)?.identifiers == ["a", "b", "c", "d", "e"])
    #expect(arguments.has(.preview))
  }

  @Test(
    arguments: [
      ("asset list l --album a1 --hidden", Admin.Selector(album: "a1", hidden: true)),
      ("grant select l app --never-share", Admin.Selector(neverShare: true)),
      ("request answer p select --album a1 --favorite", Admin.Selector(album: "a1", favorite: true)),
      ("asset mark l --only-hidden --no-hidden --album a1", Admin.Selector(album: "a1", hidden: true)),
      ("asset mark l --only-never-share --hidden", Admin.Selector(neverShare: true)),
    ] as [(String, Admin.Selector)])
  func `albums and marks select assets`(line: String, selector: Admin.Selector) throws {
    #expect(try SelectorOptions.selector(parse(line)) == selector)
  }

  @Test func `words after two dashes are operands`() throws {
    #expect(try parse("library show -- --odd")[.library] == "--odd")
  }

  @Test(arguments: [
    ("libary list", "library"), ("grant selct a b", "select"), ("grant select a b --nmae x", "--name"),
    ("status --jsno", "--json"), ("grant level l a see-and-chang selected-photos", "see-and-change"),
    ("request answer p alow", "allow"),
    ("completions bsh", "bash"),
  ])
  func `a mistyped word gets the nearest suggestion`(line: String, hint: String) {
    let console = RecordedConsole()
    let status = CommandLineTool.run(line.split(separator: " ").map(String.init), environment: [:], console: console)
    #expect(status == 64)
    #expect(console.complaints.joined().contains("Did you mean \(hint)?"))
    #expect(console.printed.isEmpty)
  }

  @Test(arguments: [
    "", "grant", "grant select photos", "library show a b", "library add --wait=yes a /", "asset list l --limit",
    "asset list l --limit --json", "asset list l --limit 0", "asset list l --limit x",
    "asset list l --limit 5 --limit 6",
    "asset list l --limit 99999999999999999999", "grant select photos app", "library offer l 1,x", "library offer l -1",
    "library add l / --time-zone 2", "library add l / --option path", "library add l / --option path=/x",
    "grant policy l a ../own", "grant policy l a Own",
    "grant select l a --id=", "grant select l a --id=,", "asset list l --id= --last 3", "grant expire l a 2001-01-01",
    "grant expire l a soon", "grant revoke", "grant revoke --everything --app a --yes",
    "asset mark l --all", "asset mark l --all --hidden --no-hidden", "asset mark l --hidden",
    "token mint l a see-and-change",
    "request answer p allow --last 3", "call m notjson", "call m []", "call m {\"a\":1,\"a\":2}", "token narrow f",
    "token narrow f --file n --asset=", "library add Photos .",
    "library add 2photos .",
    "library add a_b .", "app add",
    "grant revoke --uid 4294967295 --yes",
  ])
  func `an invalid command line ends with 64 and reaches no broker`(line: String) {
    let console = RecordedConsole()
    let words = line.split(separator: " ").map(String.init)
    // The socket does not exist, so a parsed command would end with 69.
    #expect(
      CommandLineTool.run(words, environment: ["PHOTOBROKER_ADMIN_SOCKET": "/nonexistent/s"], console: console) == 64,
      "\(line)")
    #expect(console.complaints.count == 1)
  }

  @Test(arguments: ["--version", "--help", "help grant", "help exit-codes", "grant select --help"])
  func `the program's own information is JSON on request`(line: String) throws {
    let console = RecordedConsole()
    #expect(
      CommandLineTool.run((line + " --json").split(separator: " ").map(String.init), environment: [:], console: console)
        == 0)
    let document = try JSONObjectSample.read(console.printed.joined(separator: "\n"))
    #expect(document.entries.count == 1)
  }

  @Test func `the word for standard output does not name a new file`() {
    let console = RecordedConsole()
    #expect(
      CommandLineTool.run(
        ["asset", "picture", "l", "1", "-"], environment: ["PHOTOBROKER_ADMIN_SOCKET": "/nonexistent/s"],
        console: console) == 64)
    #expect(console.complaints.joined().contains("./-") && access("-", F_OK) != 0)
  }

  @Test func `an error is JSON on request, even for an unreadable command line`() {
    let result = run("grnt", "--json")
    #expect(result.status == 64)
    #expect(
      result.console.complaints.first?.hasPrefix(#"{"error":"usage","message":"There is no command grnt."#) == true)
    #expect(result.console.complaints.first?.hasSuffix(#""exitCode":64}"#) == true)
  }
}
