import BrokerInterface
public import Foundation

/// Filters and order of a fetch. Each property that is set narrows the result. The default is all
/// assets, newest first.
public struct FetchOptions: Hashable, Sendable {
  /// Keeps assets of these types.
  public var mediaTypes: Set<MediaType>?
  /// Keeps assets with at least one of these subtypes.
  public var mediaSubtypes: Set<MediaSubtype>?
  /// Drops assets with any of these subtypes.
  public var withoutSubtypes: Set<MediaSubtype>?
  /// Keeps favourites (true) or the other assets (false).
  public var isFavorite: Bool?
  /// Keeps assets taken at this time or later.
  public var createdFrom: Date?
  /// Keeps assets taken before this time.
  public var createdBefore: Date?
  /// Keeps members of this album.
  public var collection: AssetCollection?
  /// Keeps members of this smart album.
  public var smartAlbum: AssetCollectionSubtype?
  /// Keeps assets taken inside this rectangle.
  public var region: Region?
  /// Keeps assets whose file name contains this text, ignoring case and accents. At most 256 bytes.
  public var filenameContains: String?
  /// Keeps these assets; unknown identifiers are left out. At most 1,000.
  public var localIdentifiers: [String]?
  /// The sort order.
  public var sortKey = SortKey.creationDate
  /// Whether the oldest or smallest assets come first.
  public var isAscending = false
  /// Number of assets in each request to the broker, 1 to 1,000; with captions or albums at most 100.
  public var pageSize = 100
  /// Whether the assets have their ``Asset/caption``, as far as the app may know it.
  public var includesCaptions = false
  /// Whether the assets have their ``Asset/albumIdentifiers``.
  public var includesAlbums = false

  /// Creates options for all assets, newest first.
  public init() {}

  var parameters: Library.FetchOptions {
    Library.FetchOptions(
      mediaTypes: mediaTypes.map { $0.map(\.rawValue).sorted() },
      mediaSubtypes: mediaSubtypes.map { $0.map(\.rawValue).sorted() },
      withoutSubtypes: withoutSubtypes.map { $0.map(\.rawValue).sorted() },
      favorite: isFavorite, createdFrom: createdFrom?.microseconds, createdBefore: createdBefore?.microseconds,
      album: collection?.localIdentifier, smartAlbum: smartAlbum?.rawValue,
      place: region.map { .init(south: $0.south, west: $0.west, north: $0.north, east: $0.east) },
      text: filenameContains, identifiers: localIdentifiers, sort: sortKey.rawValue, ascending: isAscending)
  }

  /// The page size within its limits.
  var limit: Int64 { Int64(min(max(pageSize, 1), 1_000)) }
}
