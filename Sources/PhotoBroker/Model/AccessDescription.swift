import BrokerInterface
public import Foundation

/// Everything that decides what an app may do at one level.
public struct AccessDescription: Hashable, Sendable {
  /// The library's name.
  public let library: String
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

  init(_ reply: Library.DescribeAccess.Reply) {
    library = reply.library
    status = AuthorizationStatus(word: reply.status)
    visible = Int(clamping: reply.visible)
    expires = reply.expires.map(Date.init(microseconds:))
    isPaused = reply.paused
    albumPolicy = reply.albumPolicy
    verbs = Set(reply.verbs)
  }
}
