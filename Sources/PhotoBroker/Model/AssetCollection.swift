import BrokerInterface

/// An album that the app may see.
public struct AssetCollection: Hashable, Sendable, Identifiable {
  /// Names the album for this app, for as long as the album exists.
  public let localIdentifier: String
  /// Its title.
  public let localizedTitle: String
  /// How many of its assets the app may see.
  public let estimatedAssetCount: Int
  /// Whether this app may change it.
  public let canEdit: Bool
  /// Changes whenever its title, or what the app sees of its members and their order, changes.
  public let version: String

  /// The local identifier.
  public var id: String { localIdentifier }

  init(_ album: Library.Album) {
    localIdentifier = album.localIdentifier
    localizedTitle = album.title
    estimatedAssetCount = Int(clamping: album.count)
    canEdit = album.canEdit
    version = album.version
  }

  /// The albums that the app may see, by title.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public static func fetchAssetCollections(in library: PhotoLibrary) async throws -> [AssetCollection] {
    var found: [AssetCollection] = []
    var parameters = Library.FetchAlbums.Parameters()
    repeat {
      let page = try await library.callWithAccess { [parameters] in try $0.call(Library.FetchAlbums.self, parameters) }
      found += page.albums.map(AssetCollection.init)
      parameters.cursor = page.cursor
    } while parameters.cursor != nil
    return found
  }
}
