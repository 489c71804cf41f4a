import BrokerInterface
public import Foundation

/// Everything that decides what an app may do at one level.
public struct AccessDescription: Hashable, Sendable {
  /// The library's name.
  public let library: String
  /// The level that all of this is about.
  public let level: AccessLevel
  /// What the app may do.
  public let status: AuthorizationStatus
  /// How many assets it can see; 0 at ``AccessLevel/addOnly``.
  public let visible: Int
  /// When the access ends; nil when somebody ends it.
  public let expires: Date?
  /// Whether the owner paused it.
  public let isPaused: Bool
  /// What decides which albums the app sees.
  public let albumPolicy: String
  /// What the tokens and the grant leave: read, add, edit, delete, observe. More may come.
  public let verbs: Set<String>
  /// When the token that this app holds ends by itself; nil where it ends with the access.
  public let tokenExpires: Date?
  /// The limits that calls are held to, as in ``PhotoLibrary/limits()``.
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
    tokenExpires = reply.tokenExpires.map(Date.init(microseconds:))
    limits = LibraryLimits(reply.limits)
  }
}
