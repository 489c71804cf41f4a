/// What went wrong between this app and the broker, apart from PhotoKit's own errors; equal by code.
///
/// Its description names no token, no path and no photo.
public struct PhotoLibraryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure it is.
  public enum Code: Hashable, Sendable {
    /// The manifest gives no reason for the access: add the text under this key.
    case usageDescriptionMissing(key: String)
    /// A person has been asked and has not answered: ask again later.
    case promptPending
    /// No token that allows the call is held: request authorization first.
    case tokenRequired
    /// A token is not valid here and now.
    case tokenRefused
    /// The access is not limited, so there is nothing to choose; the status that the app has.
    case notLimited(AuthorizationStatus)
    /// What the app asked for is not what the broker takes, such as a page of no photos; the
    /// parameter's path, such as `options.sort`.
    case invalidParameter(name: String)
    /// A message of the app's is over a limit of the wire or cannot be read, such as a text that is
    /// too long; the broker's word for what is wrong, such as `limitExceeded`. The connection ended
    /// after it.
    case messageRefused(reason: String)
    /// Nobody serves the socket.
    case brokerUnavailable
    /// The connection ended during a call. A call that changes something may or may not have taken effect.
    case connectionLost
    /// The broker said something that this version does not understand, or refused the call itself.
    case badReply
    /// The tokens could not be read or kept.
    case tokenStoreFailed
    /// A descriptor's bytes could not be read or handed over.
    case bytesUnavailable
  }

  /// What kind of failure it is.
  public let code: Code
  /// What went wrong and what to do about it.
  public let message: String
  /// What caused it below, where something did.
  public let cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// Whether both are of one kind.
  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  /// The message.
  public var description: String { message }
}
