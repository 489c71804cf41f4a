import BrokerInterface
public import Foundation

/// What to fetch, and in which order. Every property that is set narrows the result; by default it
/// is everything, newest first.
public struct FetchOptions: Hashable, Sendable {
  /// Only these types.
  public var mediaTypes: Set<MediaType>?
  /// Only assets with at least one of these.
  public var mediaSubtypes: Set<MediaSubtype>?
  /// Only assets with none of these.
  public var withoutSubtypes: Set<MediaSubtype>?
  /// Only favourites, or only others.
  public var isFavorite: Bool?
  /// Only assets taken at this time or later.
  public var createdFrom: Date?
  /// Only assets taken before this time.
  public var createdBefore: Date?
  /// Only members of this album.
  public var collection: AssetCollection?
  /// Only members of this album that fills itself.
  public var smartAlbum: AssetCollectionSubtype?
  /// Only assets taken inside this rectangle.
  public var region: Region?
  /// Only assets whose file name contains this; case and accents do not count. At most 256 bytes.
  public var filenameContains: String?
  /// Only these; unknown ones are left out. At most 1,000.
  public var localIdentifiers: [String]?
  /// The order.
  public var sortKey = SortKey.creationDate
  /// Whether the oldest or smallest come first.
  public var isAscending = false
  /// How many are asked for at once, 1 to 1,000.
  public var pageSize = 100

  /// Everything, newest first.
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
