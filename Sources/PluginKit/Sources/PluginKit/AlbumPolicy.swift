public import PhotoModel

/// Which albums a grant shows, and what may be done with them.
///
/// Asked when a grant, an album or the policy changes, never while an app waits for a fetch: the
/// broker compiles the answer into the grant. It is told of no photo. A library with many albums is
/// several questions of at most 500, and of an album that came, has another title, or is shared now
/// or no longer, a question is asked alone: what is said of one album, or of making new ones, must
/// not depend on which others came along.
///
/// The broker makes one object for each library that uses the policy, and calls it from one thread,
/// one call after the other, in a process of its own (`photobroker-plugin-host`) unless an
/// administrator marked the plugin as trusted. A policy whose process fails, throws, or does not
/// answer within its deadline hides all albums (R136) and is asked again when something changes: it
/// can show too little, and never by failing too much.
public protocol AlbumPolicy: AnyObject {
  /// - Throws: `invalidOption` for values that are well-formed and make no sense.
  init(options: PluginOptions) throws(PluginError)

  /// Which of these albums a grant shows. Deadline: 5 seconds, waiting for earlier calls included; 10 with a start.
  /// - Throws: `failed`, which hides all albums.
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
