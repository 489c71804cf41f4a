import PluginHost
import Varlink

/// Parses a command line by the table of commands.
struct ArgumentParser {
  let root: Command

  enum Outcome {
    case run(Command, Arguments)
    case help(path: [String], Command)
    case version
  }

  /// - Throws: `usage`, with the nearest known word after a typing error.
  func parse(_ words: [String]) throws(CommandError) -> Outcome {
    var state = State(command: root, rest: words[...])
    while let word = state.rest.popFirst() {
      if word == "--", !state.optionsEnded {
        state.optionsEnded = true
      } else if !state.optionsEnded, word.hasPrefix("-"), word != "-" {
        try state.takeOption(word)
      } else if !state.command.commands.isEmpty {
        try state.descend(word)
      } else {
        state.words.append(word)
      }
    }
    if state.arguments.has(.version) { return .version }
    if state.arguments.has(.help) { return .help(path: state.arguments.path, state.command) }
    guard state.command.commands.isEmpty else {
      let names = state.command.commands.map(\.name).joined(separator: ", ")
      let help = (state.arguments.path + ["--help"]).joined(separator: " ")
      throw .usage("A command is missing: one of \(names).\nphotobroker \(help) says more.")
    }
    try state.placeWords()
    return .run(state.command, state.arguments)
  }

  private struct State {
    var command: Command
    var rest: ArraySlice<String>
    var arguments = Arguments()
    var words: [String] = []
    var optionsEnded = false

    init(command: Command, rest: ArraySlice<String>) { (self.command, self.rest) = (command, rest) }

    var usage: String { HelpText.usage(arguments.path, command) }

    mutating func descend(_ word: String) throws(CommandError) {
      guard let next = command.commands.first(where: { $0.name == word }) else {
        let known = command.commands.map(\.name)
        let place = arguments.path.isEmpty ? "" : " in \(arguments.path.joined(separator: " "))"
        let hint = NearestWord.hint(for: word, among: known) ?? "Known: \(known.joined(separator: ", "))."
        throw .usage("There is no command \(word)\(place). \(hint)")
      }
      command = next
      arguments.path.append(word)
    }

    mutating func takeOption(_ word: String) throws(CommandError) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let known = CommandOption.global + command.options
      let typed = word == "-h" ? "--help" : parts[0]
      guard
        let option = command.options.first(where: { $0.typed == typed }) ?? known.first(where: { $0.typed == typed })
      else {
        let hint = NearestWord.hint(for: typed, among: known.map(\.typed)) ?? "See --help."
        throw .usage("There is no option \(typed) here. \(hint)\n\(usage)")
      }
      let inline = parts.count > 1 ? parts[1] : nil
      var values: [String] = []
      switch option.count {
      case .flag:
        if inline != nil { throw .usage("\(option.typed) takes no value.") }
      case .one, .repeated, .several:
        if let inline {
          values = [inline]
        } else {
          // A value with leading dashes is probably the next option. `--name=--odd` passes a real
          // one.
          while let next = rest.first, !next.hasPrefix("--"), values.isEmpty || option.count == .several {
            if !values.isEmpty, next.hasPrefix("-") { break }
            values.append(next)
            rest.removeFirst()
          }
        }
        guard !values.isEmpty else { throw .usage("\(option.typed) needs \(option.placeholder): \(option.summary).") }
        if option.count == .one, arguments.has(option) {
          throw .usage("\(option.typed) is given twice. Leave one out.")
        }
        for value in values { try check(value, option.values, option.typed) }
      }
      arguments.add(values.map(option.values.value), to: option)
    }

    mutating func placeWords() throws(CommandError) {
      var left = words[...]
      // Required operands come first.
      var spare = words.count - command.operands.count { $0.count == .one }
      for (index, operand) in command.operands.enumerated() {
        switch operand.count {
        case .one, .optional:
          if operand.count == .optional {
            // `request answer allow` names no request.
            let next = command.operands.dropFirst(index + 1).first { $0.count == .optional }
            let word = left.first ?? ""
            let isNext =
              spare == 1
              && next.map {
                // A mistyped answer is no request either.
                $0.values.words.contains(word)
                  || !Invocation.isPrefix(word) && NearestWord.nearest(to: word, among: $0.values.words) != nil
              } == true
            guard spare > 0, !isNext else { continue }
            spare -= 1
          }
          guard let word = left.popFirst() else {
            throw .usage("\(operand.name) is missing: \(operand.summary).\n\(usage)")
          }
          try check(word, operand.values, operand.name)
          arguments.add(operand.values.value(word), to: operand)
        case .any:
          while let word = left.popFirst() { arguments.add(word, to: operand) }
        }
      }
      if let extra = left.first { throw .usage("Unexpected word: \(extra)\n\(usage)") }
    }

    private func check(_ value: String, _ kind: ValueKind, _ name: String) throws(CommandError) {
      let words = kind.words
      guard !words.isEmpty, !words.contains(value) else { return }
      if case .list = kind { return }
      if case .plugin = kind {
        guard PluginFinder.isName(value) else {
          throw .usage(
            "\(name) is \(words.joined(separator: ", ")) or a plugin's name: 1 to 64 lower-case letters, digits and "
              + "hyphens."
          )
        }
        return
      }
      let hint = NearestWord.hint(for: value, among: words).map { " " + $0 } ?? ""
      throw .usage("\(name) is one of \(words.joined(separator: ", ")), not \(value).\(hint)")
    }
  }
}
