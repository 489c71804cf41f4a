public import PhotoModel

/// A rule for the albums that a grant shows, and for changes of them.
///
/// The broker asks when a grant, an album or the policy changes, and compiles the answer into the
/// grant; no app's fetch waits for it. Questions hold no photos. A library with many albums takes
/// several questions of at most 500 albums. A new, renamed, shared or unshared album is asked about
/// alone. So the answers for one album and for making new ones must not depend on other albums.
///
/// The broker makes one object for each library with this policy. It calls the object from one
/// thread, one call at a time, in a separate process (`photobroker-plugin-host`), or in the daemon
/// if an administrator trusts the plugin. All albums are hidden if the process fails, throws or
/// times out (R136), until the broker asks again at the next change. A failure never shows more.
public protocol AlbumPolicy: AnyObject {
  /// - Throws: `invalidOption` for well-formed values that make no sense.
  init(options: PluginOptions) throws(PluginError)

  /// Decides which of these albums a grant shows.
  ///
  /// The timeout is 5 seconds with the wait for earlier calls, and 10 if the process starts first.
  /// - Throws: `failed`, which hides all albums.
  func decide(_ question: AlbumPolicyQuestion) throws(PluginError) -> AlbumPolicyAnswer
}

/// The albums and the access about which a policy decides.
public struct AlbumPolicyQuestion: Sendable {
  public struct Album: Sendable {
    public var identifier: AlbumIdentifier
    public var title: String
    /// Whether the asking app created the album.
    public var isOwn: Bool
    /// Whether the library's owner shared the album with apps.
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

  /// Whether the app sees a selection alone. No answer shows assets outside the selection.
  public var isLimited: Bool
  public var albums: [Album]

  public init(isLimited: Bool, albums: [Album]) {
    self.isLimited = isLimited
    self.albums = albums
  }
}

/// An album policy's answer. Albums that were not in the question are ignored.
public struct AlbumPolicyAnswer: Sendable {
  public var visible: Set<AlbumIdentifier>
  /// Albums that the app may change; invisible ones are ignored.
  public var editable: Set<AlbumIdentifier>
  public var mayCreate: Bool

  public init(visible: Set<AlbumIdentifier>, editable: Set<AlbumIdentifier>, mayCreate: Bool) {
    self.visible = visible
    self.editable = editable
    self.mayCreate = mayCreate
  }
}
