import BrokerInterface
import UnixSocket
import Varlink

enum ErrorReader {
  static func error(named name: String, in reply: Reply) -> any Error {
    do throws(VarlinkError) {
      switch name {
      case "\(Library.PhotosError.name)":
        let error = try reply.decode(Library.PhotosError.self)
        let code = Int(exactly: error.code).flatMap(PhotosError.Code.init(rawValue:)) ?? .internalError
        return PhotosError(code, error.message)
      case "\(Library.UsageDescriptionMissing.name)":
        let error = try reply.decode(Library.UsageDescriptionMissing.self)
        return PhotoLibraryError(.usageDescriptionMissing(key: error.key), error.message)
      case "\(Library.PromptPending.name)":
        return PhotoLibraryError(.promptPending, try reply.decode(Library.PromptPending.self).message)
      case "\(Library.NobodyToAsk.name)":
        let error = try reply.decode(Library.NobodyToAsk.self)
        return PhotoLibraryError(.nobodyToAsk(owners: error.owners), error.message)
      case "\(Library.TokenRequired.name)":
        return PhotoLibraryError(.tokenRequired, try reply.decode(Library.TokenRequired.self).message)
      case "\(Library.TokenRefused.name)":
        return PhotoLibraryError(.tokenRefused, try reply.decode(Library.TokenRefused.self).message)
      case "\(Library.NotLimited.name)":
        let error = try reply.decode(Library.NotLimited.self)
        return PhotoLibraryError(.notLimited(AuthorizationStatus(word: error.status)), error.message)
      case "\(Library.MessageRefused.name)":
        let error = try reply.decode(Library.MessageRefused.self)
        return PhotoLibraryError(.messageRefused(reason: error.reason), error.message)
      default:
        if let error = try ServiceError(reply: reply) { return service(error) }
        return PhotoLibraryError(.badReply, "The broker refused the call: \(name).")
      }
    } catch {
      return badReply(error)
    }
  }

  private static func service(_ error: ServiceError) -> PhotoLibraryError {
    switch error {
    case .invalidParameter(let parameter, let problem):
      PhotoLibraryError(
        .invalidParameter(name: parameter),
        "The broker refused the parameter \(parameter): \(problem ?? "its interface says which values it takes").")
    case .interfaceNotFound(let name), .methodNotFound(let name), .methodNotImplemented(let name):
      PhotoLibraryError(.badReply, "The broker has no \(name); use a library of the broker's version.")
    case .permissionDenied, .expectedMore: PhotoLibraryError(.badReply, "The broker refused the call: \(error.name).")
    }
  }

  static func badReply(_ cause: VarlinkError) -> PhotoLibraryError {
    PhotoLibraryError(
      .badReply, "The broker's answer cannot be understood; use a library of the broker's version.", cause: cause)
  }

  static func lost(_ cause: UnixSocketError) -> PhotoLibraryError {
    switch cause.code {
    case .notServed, .pathTooLong: PhotoLibraryError(.brokerUnavailable, cause.message, cause: cause)
    default: PhotoLibraryError(.connectionLost, "The connection to the broker ended: \(cause.message)", cause: cause)
    }
  }
}
