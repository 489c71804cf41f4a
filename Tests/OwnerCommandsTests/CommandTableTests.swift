import Testing

@testable import OwnerCommands

@Suite struct CommandTableTests {
  @Test func `names are unique where they can be typed`() {
    for (path, command) in CommandTable.root.all() {
      #expect(Set(command.commands.map(\.name)).count == command.commands.count, "\(path)")
      let options = (command.options + CommandOption.global).map(\.name)
      #expect(Set(options).count == options.count, "\(path)")
      #expect(Set(command.operands.map(\.name)).count == command.operands.count, "\(path)")
    }
  }

  @Test func `operands that may be left out come last`() {
    for (path, command) in CommandTable.root.leaves() {
      #expect(command.operands.drop { $0.count == .one }.allSatisfy { $0.count != .one }, "\(path)")
    }
  }

  @Test func `an option takes a value of one kind wherever it is`() {
    // The completions pass over an option's value without knowing the command.
    var known: [String: Bool] = [:]
    for (path, command) in CommandTable.root.leaves() {
      for option in command.options {
        let isFlag = option.count == .flag
        #expect(known[option.name] ?? isFlag == isFlag, "\(path) \(option.name)")
        known[option.name] = isFlag
      }
    }
  }

  @Test func `every command says what it does, and its help shows all it takes`() {
    for (path, command) in CommandTable.root.all() {
      #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."))
      let help = HelpText.page(path, command).joined(separator: "\n")
      for option in command.options + CommandOption.global { #expect(help.contains(option.usage), "\(path)") }
      for operand in command.operands { #expect(help.contains(operand.name), "\(path)") }
      for sub in command.commands { #expect(help.contains("  \(sub.name) "), "\(path)") }
      #expect(HelpText.page(path, command).allSatisfy { $0.count <= 140 })
    }
  }

  @Test func `every command answers --help without a broker`() {
    for (path, _) in CommandTable.root.all() {
      let console = RecordedConsole()
      #expect(CommandLineTool.run(path + ["--help"], environment: [:], console: console) == 0)
      #expect(console.printed.contains { $0.hasPrefix("usage: photobroker") })
    }
  }
}
