import Varlink

/// Any method of any interface, for scripts and for what has no command yet.
enum CallCommand {
  private static let method = Operand("METHOD", "the qualified name, for instance io.photobroker.Admin.GetStatus")
  private static let parameters = Operand(
    "JSON", "the parameters as an object; - reads them from standard input (default: {})", count: .optional)
  private static let more = CommandOption("more", "take several replies, each printed on a line of its own")

  static let call = Command(
    "call", "Call any method and print its reply as JSON", [method, parameters], options: [more, .appSocket],
    discussion: "Without --app-socket the owner's socket is called. Replies are printed whole, a token in them too."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    let object = try object(arguments.all(parameters).first ?? "{}", invocation)
    let client =
      if arguments.has(.appSocket) {
        try BrokerClient(path: SocketLocation.apps(arguments, invocation.environment))
      } else {
        try invocation.broker()
      }
    try client.callRaw(arguments[method], object, more: arguments.has(more)) { reply in
      invocation.console.print(JSONText.printable(reply))
    }
  }

  private static func object(_ text: String, _ invocation: Invocation) throws(CommandError) -> JSONObject {
    let bytes =
      text == "-"
      ? try InputFile.read(text, limitBytes: WireLimits.frameBytes, console: invocation.console) : Array(text.utf8)
    do { return try JSONObject(message: bytes, rules: .client) } catch {
      throw .usage("The parameters are no JSON object: \(error)")
    }
  }
}
