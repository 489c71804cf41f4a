import BrokerInterface
public import Foundation

/// The access of this app at one level: its status, end, rights and limits.
public struct AccessDescription: Hashable, Sendable {
  /// The library's name.
  public let library: String
  /// The level that this description is about.
  public let level: AccessLevel
  /// The authorization status.
  public let status: AuthorizationStatus
  /// Number of assets that the app can see; 0 at ``AccessLevel/addOnly``.
  public let visible: Int
  /// End of the access; nil if it lasts until somebody ends it.
  public let expires: Date?
  /// Whether the owner paused the access.
  public let isPaused: Bool
  /// Name of the album policy, which decides which albums the app sees.
  public let albumPolicy: String
  /// Actions that the grant and the attached tokens allow: read, add, edit, delete, observe. Later
  /// brokers may name more.
  public let verbs: Set<String>
  /// Facts that the owner withholds from this app: location, captions, files. Later brokers may name more.
  /// Assets then have no ``Asset/location``, and files are copies without these facts.
  public let withheld: Set<String>
  /// The longest edge in pixels of the pictures that this app gets instead of files; nil if it gets
  /// files.
  public let picturePixels: Int?
  /// Expiry of this app's token; nil if it ends with the access.
  public let tokenExpires: Date?
  /// The limits of calls, as in ``PhotoLibrary/limits()``.
  public let limits: LibraryLimits

  init(_ reply: Library.DescribeAccess.Reply, for level: AccessLevel) {
    library = reply.library
    self.level = AccessLevel(rawValue: reply.level) ?? level
    status = AuthorizationStatus(word: reply.status)
    visible = Int(clamping: reply.visible)
    expires = reply.expires.map(Date.init(microseconds:))
    isPaused = reply.paused
    albumPolicy = reply.albumPolicy
    verbs = Set(reply.verbs)
    withheld = Set(reply.withheld ?? [])
    picturePixels = reply.pixels.map { Int(clamping: $0) }
    tokenExpires = reply.tokenExpires.map(Date.init(microseconds:))
    limits = LibraryLimits(reply.limits)
  }
}
