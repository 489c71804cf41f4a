import PhotoModel
public import PluginKit

/// R46: user albums can be neither fetched nor created.
public final class NoAlbums: AlbumPolicy {
  public init(options: PluginOptions) throws(PluginError) {}

  public func decide(_ question: AlbumPolicyQuestion) throws(PluginError) -> AlbumPolicyAnswer {
    AlbumPolicyAnswer(visible: [], editable: [], mayCreate: false)
  }
}

/// R47, R48: an app creates, fetches and changes its own albums, and sees no others.
public final class OwnAlbums: AlbumPolicy {
  public init(options: PluginOptions) throws(PluginError) {}

  public func decide(_ question: AlbumPolicyQuestion) throws(PluginError) -> AlbumPolicyAnswer {
    let own = Set(question.albums.filter(\.isOwn).map(\.identifier))
    return AlbumPolicyAnswer(visible: own, editable: own, mayCreate: true)
  }
}

/// As ``OwnAlbums``, and the albums that the owner shares can be read.
public final class SharedAlbums: AlbumPolicy {
  public static let options = [
    PluginOption("create", .flag, default: "true", summary: "Whether an app may make albums of its own.")
  ]

  private let mayCreate: Bool

  public init(options: PluginOptions) throws(PluginError) { mayCreate = options.flag("create") }

  public func decide(_ question: AlbumPolicyQuestion) throws(PluginError) -> AlbumPolicyAnswer {
    let own = Set(question.albums.filter(\.isOwn).map(\.identifier))
    let shared = question.albums.filter { $0.isShared && (!question.isLimited || $0.source == .userLibrary) }.map(
      \.identifier)
    return AlbumPolicyAnswer(visible: own.union(shared), editable: own, mayCreate: mayCreate)
  }
}

/// R49: no restriction; in limited mode cloud-shared albums stay out all the same (R45).
public final class AllAlbums: AlbumPolicy {
  public init(options: PluginOptions) throws(PluginError) {}

  public func decide(_ question: AlbumPolicyQuestion) throws(PluginError) -> AlbumPolicyAnswer {
    let all = Set(question.albums.filter { !question.isLimited || $0.source == .userLibrary }.map(\.identifier))
    return AlbumPolicyAnswer(visible: all, editable: all, mayCreate: true)
  }
}
