import BrokerInterface

/// An album that the app may see.
public struct AssetCollection: Hashable, Sendable, Identifiable {
  /// Identifier of the album for this app, for as long as the album exists.
  public let localIdentifier: String
  /// The title.
  public let localizedTitle: String
  /// Number of its assets that the app may see.
  public let estimatedAssetCount: Int
  /// Whether this app may change the album.
  public let canEdit: Bool
  /// Version of the app's view of the album; changes with its title, its visible members and their
  /// order.
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

  /// Fetches the albums that the app may see, sorted by title.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public static func fetchAssetCollections(in library: PhotoLibrary) async throws -> [AssetCollection] {
    try await fetch(Library.FetchAlbums.Parameters(), in: library)
  }

  /// Fetches albums by identifier, at most 1,000, sorted by title. Albums that the app may not see are
  /// left out.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public static func fetchAssetCollections(
    withLocalIdentifiers identifiers: [String], in library: PhotoLibrary
  ) async throws -> [AssetCollection] {
    try await fetch(Library.FetchAlbums.Parameters(identifiers: identifiers), in: library)
  }

  private static func fetch(
    _ parameters: Library.FetchAlbums.Parameters, in library: PhotoLibrary
  ) async throws -> [AssetCollection] {
    var found: [AssetCollection] = []
    var parameters = parameters
    repeat {
      let page = try await library.callWithAccess { [parameters] in try $0.call(Library.FetchAlbums.self, parameters) }
      found += page.albums.map(AssetCollection.init)
      parameters.cursor = page.cursor
    } while parameters.cursor != nil
    return found
  }
}
