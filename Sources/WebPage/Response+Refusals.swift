import BrokerInterface
import Varlink

/// Error responses. Like the broker's errors they are `{"error": name, "parameters": {"message":
/// advice}}`.
extension Response {
  /// A response for clients without a session: it reveals nothing, and the connection closes.
  private static func turnedAway(_ status: UInt32, _ name: String, _ message: String) -> Response {
    var response = refusal(status, name, message)
    response.extra.append(("Connection", "close"))
    return response
  }

  private static func refusal(_ status: UInt32, _ name: String, _ message: String) -> Response {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("error", name)
    writer.key("parameters")
    writer.beginObject()
    writer.field("message", message)
    writer.endObject()
    writer.endObject()
    return Response(status, "application/json", writer.bytes)
  }

  static let foreign = turnedAway(
    403, "NotPermitted", "Only the page itself may send this request. To open it: photobroker open.")
  static let locked = turnedAway(
    401, "Locked", "The page is locked, or the code was used before. To open it again: photobroker open.")
  static let notHere = turnedAway(
    404, "NotFound", "The page has nothing of this name. For all commands: photobroker --help.")

  static func wrongMethod(allowed: String) -> Response {
    var response = turnedAway(405, "BadRequest", "This address takes the method \(allowed) alone.")
    response.extra.append(("Allow", allowed))
    return response
  }

  static func badRequest(_ message: String) -> Response { refusal(400, "BadRequest", message) }

  static func badRequest(_ error: VarlinkError) -> Response {
    badRequest("The body must be one JSON object: \(error.message)")
  }

  static func failure(_ error: PageError) -> Response {
    switch error.code {
    case .badRequest: badRequest(error.message)
    case .notFound: refusal(404, "NotFound", error.message)
    case .closed: refusal(403, "Closed", error.message)
    case .refused: refusal(422, "Refused", error.message)
    case .badReply: refusal(502, "BadReply", error.message)
    case .lost, .abandoned: refusal(504, "Lost", error.message)
    case .unavailable, .noPort: refusal(503, "Unavailable", error.message)
    }
  }

  /// A refusal by the broker, with its message if it has one.
  static func refused(_ reply: Reply, by method: String) -> Response {
    let name = reply.error ?? ""
    switch name {
    case "\(Admin.NotFound.name)": return passedOn(404, reply)
    case "\(Admin.NotPermitted.name)": return passedOn(403, reply)
    case "\(Admin.Refused.name)": return passedOn(422, reply)
    case "\(Admin.Failed.name)": return passedOn(503, reply)
    default: break
    }
    guard case .invalidParameter(let field, let problem)? = try? ServiceError(reply: reply) else {
      return refusal(
        502, name,
        "The broker does not know the page's request. Check that photobroker-web and photobrokerd have the same "
          + "version."
      )
    }
    return refusal(
      400, name,
      "\(method) refused \(field): \(problem ?? "see io.photobroker.Admin for its values").")
  }

  private static func passedOn(_ status: UInt32, _ reply: Reply) -> Response {
    let error = Array("{\"error\":\"\(reply.error ?? "")\",\"parameters\":".utf8)
    return Response(status, "application/json", error + reply.rawParameters + Array("}".utf8))
  }
}
