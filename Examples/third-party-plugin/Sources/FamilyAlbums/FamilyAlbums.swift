import PhotoModel
import PluginKit

/// Albums that the owner shares, and whose title begins with a word, can be read and not changed;
/// an app's own albums stay its own.
public final class FamilyAlbums: AlbumPolicy {
  private let word: String

  public init(options: PluginOptions) throws(PluginError) { word = options["word"] ?? "Family" }

  public func decide(_ question: AlbumPolicyQuestion) throws(PluginError) -> AlbumPolicyAnswer {
    let own = Set(question.albums.filter(\.isOwn).map(\.identifier))
    // The title alone decides nothing: any app may call an album of its own "Family" and so reach all others.
    let family = question.albums.filter { album in
      album.isShared && album.title.hasPrefix(word) && (!question.isLimited || album.source == .userLibrary)
    }
    return AlbumPolicyAnswer(visible: own.union(family.map(\.identifier)), editable: own, mayCreate: true)
  }
}
