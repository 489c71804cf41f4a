import Foundation
import Testing

@testable import OwnerCommands

@Suite struct GenerationTests {
  static let pages: [(String, [String])] = [
    ("bash", BashCompletions.lines(CommandTable.root)), ("zsh", ZshCompletions.lines(CommandTable.root)),
    ("fish", FishCompletions.lines(CommandTable.root)),
  ]

  @Test(arguments: pages)
  func `completions know every command and every option`(shell: String, lines: [String]) {
    let text = lines.joined(separator: "\n")
    for (path, command) in CommandTable.root.all() {
      for option in command.options + CommandOption.global {
        #expect(text.contains(shell == "fish" ? "-l \(option.name)" : option.typed), "\(path)")
      }
      for sub in command.commands { #expect(text.contains(sub.name), "\(path)") }
    }
  }

  /// What bash offers for a command line whose last word is being typed.
  private func offered(_ words: String...) throws -> Set<String> {
    let folder = try ScratchFolder()
    let script = try folder.write(
      "completions", BashCompletions.lines(CommandTable.root).joined(separator: "\n") + "\n")
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    let bash = Process()
    bash.executableURL = URL(fileURLWithPath: "/bin/bash")
    bash.arguments = [
      "-c",
      "compopt() { :; }; . \(script); COMP_WORDS=(photobroker \(quoted)); COMP_CWORD=\(words.count); _photobroker; printf '%s\\n' \"${COMPREPLY[@]}\"",
    ]
    let output = Pipe()
    bash.standardOutput = output
    try bash.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    bash.waitUntilExit()
    #expect(bash.terminationStatus == 0)
    return Set(text.split(separator: "\n").map(String.init))
  }

  @Test func `bash completes commands, options and known words`() throws {
    #expect(try offered("gr") == ["grant"])
    #expect(try offered("grant", "re") == ["resume", "revoke"])
    #expect(try offered("--socket", "grant", "grant", "un") == ["unselect"])
    #expect(try offered("grant", "select", "photos", "app", "--f") == ["--from", "--favorite"])
    #expect(try offered("asset", "list", "photos", "--type", "v") == ["video"])
    #expect(try offered("prompt", "answer", "p", "se") == ["select"])
    #expect(try offered("token", "narrow", "--verbs", "read,de") == ["read,delete"])
    #expect(try offered("grant", "list", "--lib") == ["--library"])
    #expect(try offered("help", "exit") == ["exit-codes"])
    #expect(try offered("grant", "level", "photos", "app", "re") == ["readWrite"])
    #expect(try offered("grant", "level", "photos", "--quiet", "app", "readWrite", "re") == ["restricted"])
    #expect(try offered("grant", "level", "photos", "app", "readWrite", "denied", "re") == [])
  }

  @Test func `the manual page has every command, option and exit code, and no stray request`() {
    let lines = ManualPage.lines(CommandTable.root)
    let text = lines.joined(separator: "\n")
    for (path, command) in CommandTable.root.leaves() {
      #expect(text.contains(".SS " + path.joined(separator: " ").replacing("-", with: "\\-")))
      for option in command.options { #expect(text.contains(option.usage.replacing("-", with: "\\-"))) }
    }
    for code in ExitCode.allCases { #expect(lines.contains(".B \(code.rawValue)")) }
    let requests: Set<String> = [".TH", ".SH", ".SS", ".TP", ".B", ".I", ".PP", ".nf", ".fi", ".\\\""]
    for line in lines where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(requests.contains(String(line.prefix { $0 != " " })), "\(line)")
    }
  }
}
