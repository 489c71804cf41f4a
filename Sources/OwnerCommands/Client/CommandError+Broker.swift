import BrokerInterface
import Glibc
import UnixSocket
import Varlink

extension CommandError {
  static func unreachable(_ error: UnixSocketError, path: String) -> Self {
    switch error.cause {
    case EACCES, EPERM:
      Self(
        .notPermitted, "The socket \(path) is closed to this user. Owners and administrators must be let through to it."
      )
    case ENOENT, ECONNREFUSED, ENOTSOCK:
      Self(
        .unavailable,
        """
        No broker answers at \(path). Start it, for all users with
        systemctl start photobroker.socket photobroker-admin.socket
        or for yourself with
        systemctl --user start photobroker.socket photobroker-admin.socket
        or run photobrokerd; a broker elsewhere is reached with --socket PATH.
        """)
    default:
      Self(.unavailable, "\(path): \(error.message)")
    }
  }

  static func lost(_ error: UnixSocketError) -> Self {
    Self(
      .unavailable,
      "The broker is gone, and what was asked for may or may not have been done: \(error.message) Look at status, then try again."
    )
  }

  /// The connection ended during a stream of replies, which changes nothing at the broker.
  static func tellsNoMore(_ error: UnixSocketError) -> Self {
    Self(.unavailable, "The broker is gone, and tells no more: \(error.message) Look at status, then try again.")
  }

  static func badReply(_ error: VarlinkError) -> Self {
    Self(.badReply, "The broker's answer could not be understood; are program and broker of one version? \(error)")
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
    case "io.photobroker.Library.PromptPending": code = .temporary
    case "org.varlink.service.PermissionDenied": code = .notPermitted
    case "org.varlink.service.InvalidParameter":
      code = .badData
      message =
        "The broker does not take the parameter \(word(parameters["parameter"])): it is missing, unknown, of another type or out of range."
    case "org.varlink.service.MethodNotFound", "org.varlink.service.MethodNotImplemented":
      code = .badData
      message = "This broker does not serve \(word(parameters["method"])); are program and broker of one version?"
    case "org.varlink.service.InterfaceNotFound":
      code = .badData
      message = "This socket does not serve \(word(parameters["interface"])); is it the right socket?"
    case "org.varlink.service.ExpectedMore":
      code = .usage
      message = "This method answers several times: say --more."
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
