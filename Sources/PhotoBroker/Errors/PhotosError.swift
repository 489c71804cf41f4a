/// A failure with PhotoKit's name and number.
///
/// Source: https://developer.apple.com/documentation/photos/phphotoserror
public struct PhotosError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure. The set may grow: a number that this version does not know reads as
  /// ``internalError``.
  public enum Code: Int, Sendable, CaseIterable {
    /// Anything without a code of its own.
    case internalError = -1
    /// The person or the waiting task cancelled the request.
    case userCancelled = 3072
    /// The change token is older than the broker's history. Fetch everything again.
    case persistentChangeTokenExpired = 3105
    /// The disk that holds the library is not connected.
    case libraryVolumeOffline = 3114
    /// The bytes are on the network, and the network may not be used.
    case networkAccessRequired = 3164
    /// The network failed.
    case networkError = 3169
    /// No visible asset or album has that identifier.
    case identifierNotFound = 3201
    /// An identifier stands for several assets.
    case multipleIdentifiersFound = 3202
    /// The details of a change are no longer known.
    case persistentChangeDetailsUnavailable = 3210
    /// The broker does not support this change.
    case changeNotSupported = 3300
    /// The operation was interrupted.
    case operationInterrupted = 3301
    /// The bytes fail validation.
    case invalidResource = 3302
    /// The asset has no such resource, or its file changed.
    case missingResource = 3303
    /// The disk is full.
    case notEnoughSpace = 3305
    /// The asset does not support the request.
    case requestNotSupportedForAsset = 3306
    /// A limit was exceeded.
    case limitExceeded = 3307
    /// An administrator forbids the access.
    case accessRestricted = 3310
    /// The owner of the library denied the access, or ended it.
    case accessUserDenied = 3311
  }

  /// The kind of failure.
  public let code: Code
  /// The problem, and a way to fix it.
  public let message: String
  /// With ``Code/multipleIdentifiersFound`` the visible candidates, for a person to choose from.
  /// Otherwise empty.
  public let localIdentifiers: [String]

  /// Creates an error.
  public init(_ code: Code, _ message: String, localIdentifiers: [String] = []) {
    self.code = code
    self.message = message
    self.localIdentifiers = localIdentifiers
  }

  /// PhotoKit's name for the code, its number, and the message.
  public var description: String { "\(code) (\(code.rawValue)): \(message)" }
}
