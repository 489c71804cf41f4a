import BrokerInterface
import Glibc
import UnixSocket
import Varlink

extension CommandError {
  static func unreachable(_ error: UnixSocketError, path: String) -> Self {
    switch error.cause {
    case EACCES, EPERM:
      Self(
        .notPermitted, "You may not open the socket \(path). Ask root for access to it and to its folder."
      )
    case ENOENT, ECONNREFUSED, ENOTSOCK:
      Self(
        .unavailable,
        """
        No broker runs at \(path). Start it for all users with
        systemctl start photobroker.socket photobroker-admin.socket
        or for yourself with
        systemctl --user start photobroker.socket photobroker-admin.socket
        or run photobrokerd. If it ends again, journalctl -u photobroker says why. If it runs elsewhere, name its \
        socket with --socket PATH.
        """)
    default:
      Self(.unavailable, "\(path): \(error.message)")
    }
  }

  static func lost(_ error: UnixSocketError) -> Self {
    Self(
      .unavailable,
      "The connection to the broker ended, and the command may or may not have taken effect: \(error.message) Check "
        + "with photobroker status, then try again."
    )
  }

  /// The connection ended during a stream of replies, which changes nothing at the broker.
  static func tellsNoMore(_ error: UnixSocketError) -> Self {
    Self(
      .unavailable,
      "The connection to the broker ended: \(error.message) Check with photobroker status, then try again.")
  }

  static func badReply(_ error: VarlinkError) -> Self {
    Self(
      .badReply,
      "The broker's answer could not be read (\(error)). Check that photobroker and photobrokerd have the same version."
    )
  }

  /// - Parameter waiting: the names and apps of the requests or pickers that wait.
  static func notWaiting(_ kind: String, _ name: String, _ waiting: [Invocation.Waiting]) -> Self {
    let shown = waiting.prefix(10).map { "\($0.name) “\(ShownText.claimed($0.app.displayName))”" }
    let others = shown.isEmpty ? "None waits." : "Waiting: \(shown.joined(separator: ", "))."
    return Self(.notFound, "No \(kind) \(name) waits for you. \(others)")
  }

  static func answered(_ name: String, _ reply: Reply) -> Self {
    let parameters = (try? reply.decode(JSONObject.self)) ?? JSONObject()
    var message = name
    if case .string(let text)? = parameters["message"], !text.isEmpty { message = text }
    let code: ExitCode
    switch name {
    case String(Admin.NotFound.self): code = .notFound
    case String(Admin.NotPermitted.self): code = .notPermitted
    case String(Admin.Refused.self): code = .badData
    case String(Admin.Failed.self): code = .failed
    case "io.photobroker.Library.PromptPending", "io.photobroker.Library.NobodyToAsk": code = .temporary
    case "org.varlink.service.PermissionDenied": code = .notPermitted
    case "org.varlink.service.InvalidParameter":
      code = .badData
      message = "The broker refused the parameter \(word(parameters["parameter"]))"
      if case .string(let problem)? = parameters["problem"] { message += ": \(problem)" }
      message += "."
    case "org.varlink.service.MethodNotFound", "org.varlink.service.MethodNotImplemented":
      code = .badData
      message =
        "This broker has no method \(word(parameters["method"])). Check that photobroker and photobrokerd have the "
        + "same version."
    case "org.varlink.service.InterfaceNotFound":
      code = .badData
      message = "This socket has no interface \(word(parameters["interface"])). Check --socket and --app-socket."
    case "org.varlink.service.ExpectedMore":
      code = .usage
      message = "This method sends several replies. Add --more."
    default: code = .internalError
    }
    return Self(code, message, answered: Answered(name: name, parameters: parameters))
  }

  private static func word(_ value: JSONValue?) -> String {
    if case .string(let text)? = value { text } else { "?" }
  }
}

extension String {
  fileprivate init<Failure: MethodError>(_ error: Failure.Type) { self = error.name.description }
}
