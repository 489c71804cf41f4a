/// A failure with PhotoKit's name and number.
///
/// Source: https://developer.apple.com/documentation/photos/phphotoserror
public struct PhotosError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is. The set may grow: a number that this version does not know reads as ``internalError``.
  public enum Code: Int, Sendable, CaseIterable {
    /// Anything without a code of its own.
    case internalError = -1
    /// The person, or the task that waited, ended the request.
    case userCancelled = 3072
    /// The change token is older than what the broker remembers: fetch everything again.
    case persistentChangeTokenExpired = 3105
    /// The disk that holds the library is not there.
    case libraryVolumeOffline = 3114
    /// The bytes are on the network, which may not be used.
    case networkAccessRequired = 3164
    /// The network failed.
    case networkError = 3169
    /// No asset or album of that identifier is visible to this app.
    case identifierNotFound = 3201
    /// An identifier stands for several assets.
    case multipleIdentifiersFound = 3202
    /// The details of a change are no longer known.
    case persistentChangeDetailsUnavailable = 3210
    /// This change cannot be made.
    case changeNotSupported = 3300
    /// The operation was interrupted.
    case operationInterrupted = 3301
    /// The bytes are not what they are said to be.
    case invalidResource = 3302
    /// The asset has no such resource.
    case missingResource = 3303
    /// The disk is full.
    case notEnoughSpace = 3305
    /// The asset does not support the request.
    case requestNotSupportedForAsset = 3306
    /// A limit was exceeded.
    case limitExceeded = 3307
    /// An administrator forbids the access.
    case accessRestricted = 3310
    /// The owner of the library did not allow the access, or ended it.
    case accessUserDenied = 3311
  }

  /// What kind of failure it is.
  public let code: Code
  /// What happened and what to do about it.
  public let message: String
  /// With ``Code/multipleIdentifiersFound``: those that this app may see, for a person to choose from. Else empty.
  public let localIdentifiers: [String]

  /// An error of this code.
  public init(_ code: Code, _ message: String, localIdentifiers: [String] = []) {
    self.code = code
    self.message = message
    self.localIdentifiers = localIdentifiers
  }

  /// PhotoKit's name for the code, its number, and the message.
  public var description: String { "\(code) (\(code.rawValue)): \(message)" }
}
