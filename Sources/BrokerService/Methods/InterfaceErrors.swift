import Broker
import BrokerInterface
import Varlink

/// Converts the core's errors to those that the two interfaces declare.
enum InterfaceErrors {
  static func fail(_ connection: Connection, _ error: BrokerError) {
    if error.code == .invalidCursor {
      return connection.fail(ServiceError.invalidParameter(parameter: "cursor", problem: error.message))
    }
    switch connection.role {
    case .app: library(error) { connection.fail($0) }
    case .administration: administration(error) { connection.fail($0) }
    }
  }

  /// Writes an app's error as a whole message, in place of a withdrawn reply.
  static func write(_ error: BrokerError, to writer: inout JSONWriter) {
    if case .photos(let code) = error.code {
      writer.appendError(Library.PhotosError(code: Int64(code.rawValue), reason: code.name, message: error.message))
    } else {
      writer.appendError(photos(.internalError, error.message))
    }
  }

  static func write(_ error: VarlinkError, for role: Connection.Role, to writer: inout JSONWriter) {
    let place = error.offset.map { ", at byte \($0)" } ?? ""
    let message =
      "The connection closes: \(error.message)\(place). Send one call as JSON and a NUL, within the limits of "
      + "GetLimits."
    switch role {
    case .app: writer.appendError(Library.MessageRefused(reason: error.code.rawValue, message: message))
    case .administration: writer.appendError(Admin.Refused(message: message))
    }
  }

  private static func library(_ error: BrokerError, _ send: (any MethodError) -> Void) {
    switch error.code {
    case .photos(let code): send(photos(code, error.message))
    case .usageDescriptionMissing(let key): send(Library.UsageDescriptionMissing(key: key, message: error.message))
    case .promptNeeded, .tokenRequired: send(Library.TokenRequired(message: error.message))
    case .promptPending: send(Library.PromptPending(message: error.message))
    case .nobodyToAsk(let owners): send(Library.NobodyToAsk(owners: owners, message: error.message))
    case .tokenRefused:
      send(Library.TokenRefused(message: error.message, reason: error.reason?.code.rawValue))
    case .notLimited(let status): send(Library.NotLimited(status: status, message: error.message))
    case .notFound: send(photos(.identifierNotFound, error.message))
    case .notPermitted: send(photos(.accessUserDenied, error.message))
    case .refused: send(photos(.changeNotSupported, error.message))
    case .failed, .invalidCursor: send(photos(.internalError, error.message))
    }
  }

  private static func administration(_ error: BrokerError, _ send: (any MethodError) -> Void) {
    let reason = error.reason.map { Admin.Reason($0) }
    switch error.code {
    case .notFound(let what): send(Admin.NotFound(what: what, message: error.message))
    case .notPermitted: send(Admin.NotPermitted(message: error.message, reason: reason))
    case .failed: send(Admin.Failed(message: error.message, reason: reason))
    default: send(Admin.Refused(message: error.message, reason: reason))
    }
  }

  private static func photos(_ code: PhotosErrorCode, _ message: String) -> Library.PhotosError {
    Library.PhotosError(code: Int64(code.rawValue), reason: code.name, message: message)
  }
}
