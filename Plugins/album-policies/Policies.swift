import PhotoModel
public import PluginKit

/// No user album can be fetched or created (R46).
public final class NoAlbums: AlbumPolicy {
  public init(options: PluginOptions) throws(PluginError) {}

  public func decide(_ question: AlbumPolicyQuestion) throws(PluginError) -> AlbumPolicyAnswer {
    AlbumPolicyAnswer(visible: [], editable: [], mayCreate: false)
  }
}

/// An app creates, fetches and changes its own albums, and sees no others (R47, R48).
public final class OwnAlbums: AlbumPolicy {
  public init(options: PluginOptions) throws(PluginError) {}

  public func decide(_ question: AlbumPolicyQuestion) throws(PluginError) -> AlbumPolicyAnswer {
    let own = Set(question.albums.filter(\.isOwn).map(\.identifier))
    return AlbumPolicyAnswer(visible: own, editable: own, mayCreate: true)
  }
}

/// Like ``OwnAlbums``; also shows the albums that the owner shares.
public final class SharedAlbums: AlbumPolicy {
  public static let options = [
    PluginOption("create", .flag, default: "true", summary: "Lets an app make albums of its own.")
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

/// All albums (R49). In limited mode cloud-shared albums stay hidden (R45).
public final class AllAlbums: AlbumPolicy {
  public init(options: PluginOptions) throws(PluginError) {}

  public func decide(_ question: AlbumPolicyQuestion) throws(PluginError) -> AlbumPolicyAnswer {
    let all = Set(question.albums.filter { !question.isLimited || $0.source == .userLibrary }.map(\.identifier))
    return AlbumPolicyAnswer(visible: all, editable: all, mayCreate: true)
  }
}
