import PhotoModel
import PluginKit

/// Lets apps read shared albums whose title begins with a word, and change their own albums.
public final class FamilyAlbums: AlbumPolicy {
  private let word: String

  public init(options: PluginOptions) throws(PluginError) { word = options["word"] ?? "Family" }

  public func decide(_ question: AlbumPolicyQuestion) throws(PluginError) -> AlbumPolicyAnswer {
    let own = Set(question.albums.filter(\.isOwn).map(\.identifier))
    // The title alone must not decide: an app could name an album of its own "Family" and reach all
    // others.
    let family = question.albums.filter { album in
      album.isShared && album.title.hasPrefix(word) && (!question.isLimited || album.source == .userLibrary)
    }
    return AlbumPolicyAnswer(visible: own.union(family.map(\.identifier)), editable: own, mayCreate: true)
  }
}
