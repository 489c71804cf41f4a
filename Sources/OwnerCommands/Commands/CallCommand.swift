import BrokerInterface
import Glibc
import Limits
import Macaroons
import UnixSocket
import Varlink

/// Calls any method of any interface, also those without a command.
enum CallCommand {
  private static let method = Operand(
    "METHOD", "the qualified name, for instance io.photobroker.Admin.GetStatus",
    values: .listed([.methods]))
  private static let parameters = Operand(
    "JSON", "the parameters as an object; - reads them from standard input (default: {})", count: .optional)
  private static let more = CommandOption("more", "take several replies, each printed on a line of its own")
  private static let token = CommandOption(
    "token-file", "FILE", "attach this token first, for an app's method; may be repeated", count: .repeated,
    values: .file)
  private static let file = CommandOption(
    "file", "FILE", "send this file with the call, as descriptor 0; repeated, as descriptors 1, 2 and so on",
    count: .repeated,
    values: .file)

  static let call = Command(
    "call", "Call any method and print its reply as JSON", [method, parameters],
    options: [more, .appSocket, token, file],
    discussion:
      "Without --app-socket and --token-file the owner's socket is called. Replies are printed in full, including any "
      + "token."
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    try checkName(arguments[method])
    let object = try object(arguments.all(parameters).first ?? "{}", invocation)
    let files = try files(arguments.all(file))
    let tokens = try arguments.all(token).map { path throws(CommandError) in
      try TokenFile.read(path, console: invocation.console)
    }
    let client = try client(invocation)
    for token in tokens { _ = try client.call(Library.Attach.self, .init(token: token.text)) }
    do throws(CommandError) {
      try client.callRaw(arguments[method], object, more: arguments.has(more), files: files) { reply in
        invocation.console.print(JSONText.printable(reply))
      }
    } catch {
      throw explained(error, method: arguments[method])
    }
  }

  /// The connection to the apps' socket, if an option says so, else to the owner's.
  ///
  /// - Throws: `unavailable`, `notPermitted`.
  static func client(_ invocation: Invocation) throws(CommandError) -> BrokerClient {
    let arguments = invocation.arguments
    guard arguments.has(.appSocket) || arguments.has(token) else { return try invocation.broker() }
    return try BrokerClient(
      path: SocketLocation.apps(arguments, invocation.environment), patience: invocation.patience)
  }

  /// - Throws: `notFound`, `notPermitted`.
  private static func files(_ paths: [String]) throws(CommandError) -> OwnedDescriptors {
    var files = OwnedDescriptors()
    for path in paths { files.append(try InputFile.open(path)) }
    return files
  }

  /// - Throws: `usage` unless the text is a qualified method name.
  private static func checkName(_ text: String) throws(CommandError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isName = parts.allSatisfy { part in
      !part.isEmpty
        && part.utf8.allSatisfy { $0 == 0x2d || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || isLetter($0) }
    }
    guard parts.count > 2, isName, let first = parts.last?.utf8.first, first & 0x20 == 0 else {
      throw .usage(
        "\(text) is not a method's full name, such as io.photobroker.Admin.GetStatus."
      )
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }

  /// Replaces the advice about versions: here an unknown method is mostly a typing error.
  private static func explained(_ error: CommandError, method: String) -> CommandError {
    switch error.answered?.name {
    case "org.varlink.service.MethodNotFound":
      let interface = method.split(separator: ".").dropLast().joined(separator: ".")
      return CommandError(
        error.code,
        "This socket has no method \(method). List its methods: photobroker call "
          + "org.varlink.service.GetInterfaceDescription '{\"interface\":\"\(interface)\"}'", answered: error.answered)
    case "org.varlink.service.InterfaceNotFound":
      return CommandError(
        error.code,
        "No interface of this socket has \(method). List them: photobroker call org.varlink.service.GetInfo. Apps' "
          + "methods need --app-socket.",
        answered: error.answered)
    default: return error
    }
  }

  private static func object(_ text: String, _ invocation: Invocation) throws(CommandError) -> JSONObject {
    let bytes =
      text == "-"
      ? try InputFile.read(text, limitBytes: WireLimits.frameBytes, console: invocation.console) : Array(text.utf8)
    do { return try JSONObject(message: bytes, rules: .client) } catch {
      throw .usage("The parameters are not a JSON object: \(error.explained(in: bytes)).")
    }
  }
}
