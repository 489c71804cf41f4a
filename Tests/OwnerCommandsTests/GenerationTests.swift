import Testing

@testable import OwnerCommands

@Suite struct GenerationTests {
  /// The words for a command line whose last word is being typed.
  private func offered(_ words: String...) -> Set<String> { Set(Completions.words(words, CommandTable.root)) }

  @Test func `completions cover every command and option`() {
    for (path, command) in CommandTable.root.all() {
      #expect(Set(command.commands.map(\.name)).isSubset(of: Completions.words(path + [""], CommandTable.root)))
      let options = (command.options + CommandOption.global).map(\.typed)
      #expect(Set(Completions.words(path + ["--"], CommandTable.root)) == Set(options), "\(path)")
    }
  }

  @Test func `completions are commands, options and known words`() {
    #expect(offered("gr") == ["grant"])
    #expect(offered("grant", "re") == ["resume", "revoke"])
    #expect(offered("--socket", "grant", "grant", "un") == ["unselect"])
    #expect(offered("grant", "select", "photos", "app", "--f") == ["--from", "--favorite"])
    #expect(offered("asset", "list", "photos", "--type", "v") == ["video"])
    #expect(offered("request", "answer", "p", "se") == ["select"])
    #expect(offered("token", "narrow", "--verbs", "read,de") == ["read,delete"])
    #expect(offered("grant", "list", "--lib") == ["--library"])
    #expect(offered("help", "exit") == ["exit-codes"])
    #expect(offered("grant", "level", "photos", "app", "s") == ["see-and-change"])
    #expect(offered("grant", "level", "photos", "--quiet", "app", "see-and-change", "b") == ["blocked"])
    #expect(offered("grant", "level", "photos", "app", "see-and-change", "no-access", "re") == [])
  }

  @Test func `the manual page has every command, option and exit code, and no stray troff request`() {
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
