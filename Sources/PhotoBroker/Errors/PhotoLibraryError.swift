/// A failure between this app and the broker that has no PhotoKit error. Errors with one code are
/// equal.
///
/// Its description names no token, no path and no photo.
public struct PhotoLibraryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Hashable, Sendable {
    /// The manifest gives no reason for the access. Add the text under this key.
    case usageDescriptionMissing(key: String)
    /// A person was asked and has not answered. Ask again later.
    case promptPending
    /// A person must confirm the call, and no program of a person who can shows requests now. Nothing
    /// was done. The value is the names of their accounts.
    case nobodyToAsk(owners: [String])
    /// The app holds no token that allows the call. Request authorization first.
    case tokenRequired
    /// A token is not valid here and now.
    case tokenRefused
    /// The access is not limited, so the app cannot choose photos. The value is the app's status.
    case notLimited(AuthorizationStatus)
    /// The broker refuses a parameter, such as a page of no photos. The value is the parameter's
    /// path, such as `options.sort`.
    case invalidParameter(name: String)
    /// A message of the app exceeds a limit of the wire or cannot be read, for instance because a
    /// text is too long. The value is the broker's reason, such as `limitExceeded`. The broker then
    /// closes the connection.
    case messageRefused(reason: String)
    /// No process serves the socket.
    case brokerUnavailable
    /// The connection ended during a call. A change may have taken effect or not.
    case connectionLost
    /// The broker's reply is not one that this version understands, or the broker has no such
    /// method.
    case badReply
    /// The tokens could not be read or saved.
    case tokenStoreFailed
    /// A descriptor's bytes could not be read or sent.
    case bytesUnavailable
  }

  /// The kind of failure.
  public let code: Code
  /// The problem, and a way to fix it.
  public let message: String
  /// The underlying error, if any.
  public let cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// Compares the codes alone.
  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  /// The message.
  public var description: String { message }
}
