public import PhotoModel

/// Which albums a grant shows, and what may be done with them.
///
/// Asked when a grant, an album or the policy changes, never while an app waits for a fetch: the broker compiles the answer
/// into the grant. A policy that does not answer within 5 seconds hides all albums. It is told of no photo. A library with many
/// albums is several questions: what is said of one album must not depend on which others came along.
public protocol AlbumPolicy: AnyObject {
  init(options: PluginOptions) throws(PluginError)

  func decide(_ question: AlbumPolicyQuestion) throws(PluginError) -> AlbumPolicyAnswer
}

/// What an album policy is told.
public struct AlbumPolicyQuestion: Sendable {
  public struct Album: Sendable {
    public var identifier: AlbumIdentifier
    public var title: String
    /// Whether the asking app made it.
    public var isOwn: Bool
    /// Whether the library's owner marked it as one that apps may read.
    public var isShared: Bool
    public var source: SourceType

    public init(identifier: AlbumIdentifier, title: String, isOwn: Bool, isShared: Bool = false, source: SourceType) {
      self.identifier = identifier
      self.title = title
      self.isOwn = isOwn
      self.isShared = isShared
      self.source = source
    }
  }

  /// Whether the app's access is limited to a selection; the asset filter holds whatever the policy says.
  public var isLimited: Bool
  public var albums: [Album]

  public init(isLimited: Bool, albums: [Album]) {
    self.isLimited = isLimited
    self.albums = albums
  }
}

/// What an album policy answers. Albums that it was not asked about are left out.
public struct AlbumPolicyAnswer: Sendable {
  public var visible: Set<AlbumIdentifier>
  /// Albums that may be changed; visible ones only.
  public var editable: Set<AlbumIdentifier>
  public var mayCreate: Bool

  public init(visible: Set<AlbumIdentifier>, editable: Set<AlbumIdentifier>, mayCreate: Bool) {
    self.visible = visible
    self.editable = editable
    self.mayCreate = mayCreate
  }
}
