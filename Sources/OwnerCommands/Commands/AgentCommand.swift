import Accounts

/// Serves photos to an AI agent.
enum AgentCommand {
  private static let library = CommandOption(
    "library", "NAME", "the library; default: the only one that you own or accepted",
    values: .listed([.libraries, .offers]))
  private static let name = CommandOption(
    "name", "NAME", "the agent's name in your requests; default: the name that the agent gives")
  private static let identifier = CommandOption(
    "identifier", "ID", "tells this agent's grant from others'; default: io.photobroker.mcp. and the name")
  private static let tokenFile = CommandOption(
    "token-file", "FILE", "a token from photobroker token mint; without it the agent asks you once", values: .file)
  private static let readOnly = CommandOption(
    "read-only", "leave out the tools that add, edit and delete")
  private static let values = [library, name, identifier, tokenFile]

  static let mcp = Command(
    "mcp", "Give an AI agent the photos that you choose, by the Model Context Protocol",
    options:
      values + [readOnly, .appSocket],
    discussion: """
      An agent starts this command and talks to it on standard input and output. Its configuration names the command \
      photobroker with the argument mcp. The agent is an app like any other: it asks, you select photos, and you see \
      in the log which ones it looked at. Revoking takes effect at once.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    var words = ["--socket", SocketLocation.apps(arguments, invocation.environment)]
    if arguments.has(readOnly) { words.append(readOnly.typed) }
    for option in values {
      if let value = arguments[option] { words += [option.typed, value] }
    }
    try ProgramFolder.replaceThisProcess(by: "photobroker-mcp", words, ifMissing: "It belongs beside this program.")
  }
}
