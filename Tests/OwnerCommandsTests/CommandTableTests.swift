import Testing

@testable import OwnerCommands

@Suite struct CommandTableTests {
  @Test func `names are unique in their context`() {
    for (path, command) in CommandTable.root.all() {
      #expect(Set(command.commands.map(\.name)).count == command.commands.count, "\(path)")
      let options = (command.options + CommandOption.global).map(\.name)
      #expect(Set(options).count == options.count, "\(path)")
      #expect(Set(command.operands.map(\.name)).count == command.operands.count, "\(path)")
    }
  }

  @Test func `optional operands stand side by side, and any number of words comes last`() {
    for (path, command) in CommandTable.root.leaves() {
      let optional = command.operands.drop { $0.count == .one }.drop { $0.count == .optional }
      #expect(optional.allSatisfy { $0.count == .one } || optional.count == 1, "\(path)")
      #expect(command.operands.dropLast().allSatisfy { $0.count != .any }, "\(path)")
    }
  }

  @Test func `commands for developers stand at the end of the help`() {
    let help = HelpText.page([], CommandTable.root)
    let place = help.firstIndex(of: "For developers:") ?? 0
    #expect(CommandTable.forDevelopers.map(\.name).contains("doctor"))
    let listed = help[(place + 1)...].filter { !$0.hasPrefix("   ") }.map { String($0.split(separator: " ")[0]) }
    #expect(listed == CommandTable.forDevelopers.map(\.name))
  }

  @Test func `every command has a description, and its help shows all options`() {
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
