import Foundation
import Testing

@testable import OwnerCommands

/// Every command of the table with invalid words at each position. New commands and options are
/// covered as soon as they are in the table.
@Suite struct BadInputTests {
  /// Without `run` and `mcp`, which replace the process; Tests/System covers them.
  static let leaves = CommandTable.root.leaves().filter { ![["run"], ["mcp"]].contains($0.path) }.map {
    Leaf(path: $0.path, command: $0.command)
  }

  struct Leaf: CustomTestStringConvertible, Sendable {
    let path: [String]
    let command: Command
    var testDescription: String { path.joined(separator: " ") }

    /// The path with a word for each required operand, so that it can be parsed.
    var words: [String] { path + command.operands.filter { $0.count == .one }.map { Leaf.word(for: $0.values) } }

    static func word(for kind: ValueKind) -> String {
      switch kind {
      case .words(let words), .list(let words), .plugin(let words): words[0]
      case .owners(let words): words.typed[0]
      case .file, .folder: "/no/such/place"
      case .anything, .listed: "photos"
      case .command: "status"
      }
    }
  }

  static let hostile = [
    "", " ", String(repeating: "x", count: 100_000), "\u{202e}gnp.exe", "a\u{1b}[2Jb", "a\nb", "\u{7f}\u{85}", "-1",
    "99999999999999999999",
    "1e400", "NaN", "../../etc/passwd", "/dev/zero", "{\"a\":", "%n%s", "\u{fffd}", "日本語", "'; drop table grants; --",
  ]

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Runs without a broker, so that only the words can be wrong before the connection.
  private func outcome(_ words: [String]) -> (status: Int32, console: RecordedConsole) {
    run(words + ["--socket", folder.path + "/none"])
  }

  private func run(_ words: [String]) -> (status: Int32, console: RecordedConsole) {
    let console = RecordedConsole()
    let environment = ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path]
    return (CommandLineTool.run(words, environment: environment, console: console), console)
  }

  /// Expects a known status, a message after a failure, and no terminal control characters.
  private func expectPlain(_ outcome: (status: Int32, console: RecordedConsole), _ words: [String]) {
    let line = words.map { $0.prefix(60) }.joined(separator: " ")
    #expect(ExitCode(rawValue: outcome.status) != nil, "\(line): \(outcome.status)")
    let complaints = outcome.console.complaints.joined()
    if outcome.status != 0 { #expect(complaints.count > 20, "\(line) says nothing") }
    #expect(complaints.count < 4_000, "\(line) says \(complaints.count) characters")
    let said = outcome.console.everything
    #expect(
      !said.unicodeScalars.contains {
        ($0.value < 0x20 && $0 != "\n") || (0x7f...0x9f).contains($0.value) || $0 == "\u{202e}"
      },
      "\(line) prints what acts on a terminal")
  }

  @Test(arguments: ["--glob", "--name"]) func `an empty pattern is refused by the option's name`(option: String) {
    let found = outcome(["grant", "select", "photos", "a1", option, ""])
    #expect(found.status == ExitCode.usage.rawValue)
    #expect(found.console.complaints.joined().contains("\(option) is empty"))
  }

  @Test(arguments: leaves) func `unused words are refused by name`(_ leaf: Leaf) {
    for extra in ["--no-such-option", "--socket", "--json=yes", "--yes=", "-x", "--"]
      + leaf.command.options.compactMap(\.typedAlone)
    {
      // Commands with arbitrary words accept some of these.
      if leaf.command.operands.contains(where: { $0.count == .any }), extra.hasPrefix("-x") || extra == "--" {
        continue
      }
      let words = leaf.words + [extra]
      let found = run(words)
      expectPlain(found, words)
      if extra == "--" { continue }
      #expect(found.status == ExitCode.usage.rawValue, "\(words)")
      let name = String(extra.prefix { $0 != "=" })
      #expect(found.console.complaints.joined().contains(name), "\(words)")
    }
  }

  @Test(arguments: leaves) func `an operand too few or too many is reported`(_ leaf: Leaf) {
    if leaf.words.count > leaf.path.count {
      #expect(run(Array(leaf.words.dropLast())).status == ExitCode.usage.rawValue)
    }
    if leaf.command.operands.allSatisfy({ $0.count == .one }) {
      #expect(run(leaf.words + ["surplus"]).status == ExitCode.usage.rawValue)
    }
  }

  @Test(arguments: leaves) func `any value in any place ends with a status and a message`(_ leaf: Leaf) {
    for value in Self.hostile {
      for place in leaf.path.count..<leaf.words.count {
        var words = leaf.words
        words[place] = value
        expectPlain(outcome(words), words)
      }
      for option in leaf.command.options where option.count != .flag {
        let words = leaf.words + ["\(option.typed)=\(value)"]
        let found = outcome(words)
        expectPlain(found, words)
        if case .words = option.values { #expect(found.status == ExitCode.usage.rawValue, "\(words)") }
        if option.placeholder == "N" {
          #expect(found.status == ExitCode.usage.rawValue, "\(words.map { $0.prefix(60) })")
        }
      }
    }
  }
}

extension CommandOption {
  /// The option without its value; nil for a flag.
  fileprivate var typedAlone: String? { count == .flag ? nil : typed }
}
