import Limits

enum ManualPage {
  static func lines(_ root: Command) -> [String] {
    var lines = [
      ".\\\" Made by: photobroker man",
      ".TH PHOTOBROKER 1 \"\" \"PhotoBroker \(Product.version)\" \"User Commands\"",
      ".SH NAME", "photobroker \\- " + text(root.summary.prefix(1).lowercased() + root.summary.dropFirst()),
      ".SH SYNOPSIS", ".B photobroker", ".I COMMAND", "[\\fIoptions\\fR]",
      ".SH DESCRIPTION",
      text(
        "Owners and administrators decide with it about libraries, apps, grants, selections, requests and tokens, and "
          + "see which app received which photo. It is an ordinary client of the broker's socket."
      ),
      ".SH OPTIONS OF EVERY COMMAND",
    ]
    for option in CommandOption.global { lines += entry(option.usage, option.summary) }
    lines.append(".SH COMMANDS")
    for (path, command) in root.leaves() {
      let words = path + command.operands.map(\.usage)
      lines += [".SS " + text(words.joined(separator: " ")), text(command.summary + ".")]
      for paragraph in command.discussion.split(separator: "\n") { lines += [".PP", text(String(paragraph))] }
      for operand in command.operands { lines += entry(operand.name, operand.summary) }
      for option in command.options { lines += entry(option.usage, option.summary) }
    }
    for topic in HelpTopic.all where topic.name != HelpTopic.exitCodes.name {
      lines += [".SH " + text(topic.summary.uppercased()), ".nf"] + topic.lines.map(text) + [".fi"]
    }
    lines.append(".SH EXIT STATUS")
    for code in ExitCode.allCases { lines += entry("\(code.rawValue)", code.meaning) }
    return lines
  }

  private static func entry(_ term: String, _ summary: String) -> [String] {
    [".TP", ".B " + text(term), text(summary + ".")]
  }

  /// Escapes text for troff, so that it holds no requests.
  private static func text(_ text: String) -> String {
    let escaped = text.map { $0 == "\\" ? "\\e" : $0 == "-" ? "\\-" : String($0) }.joined()
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }
}
