import BrokerInterface
public import Foundation

/// One photo or video.
public struct Asset: Hashable, Sendable, Identifiable {
  /// Identifier of the asset for this app, for as long as the asset exists.
  public let localIdentifier: String
  /// The media type.
  public let mediaType: MediaType
  /// The media subtypes. Subtypes that this version does not know are kept by name.
  public let mediaSubtypes: Set<MediaSubtype>
  /// The source of the asset.
  public let sourceType: AssetSourceType
  /// Time of capture; nil if unknown.
  ///
  /// The file's own date, by its UTC offset or in the library's time zone; a year or a month alone is
  /// its first instant. Else the date in the file's name, else its modification time. A date in the
  /// future is not believed, so that it does not head every list. On the wire, `creationDateOrigin`
  /// says which.
  public let creationDate: Date?
  /// Time of the last change of its bytes or metadata.
  public let modificationDate: Date
  /// Time at which it came into the library.
  public let addedDate: Date
  /// Width in pixels, upright; 0 where unknown.
  public let pixelWidth: Int
  /// Height in pixels, upright; 0 where unknown.
  public let pixelHeight: Int
  /// Length in seconds; 0 if it is no video.
  public let duration: TimeInterval
  /// Whether a person marked it as a favourite.
  public let isFavorite: Bool
  /// Place of capture; nil if unknown.
  public let location: Location?
  /// The file's name, without its folder.
  public let filename: String
  /// Version of the asset; changes whenever the asset changes.
  public let version: String
  /// The caption; nil if there is none, if it is withheld, or without ``FetchOptions/includesCaptions``.
  public let caption: String?
  /// The visible albums that hold the asset; nil without ``FetchOptions/includesAlbums``.
  public let albumIdentifiers: [String]?

  /// The local identifier.
  public var id: String { localIdentifier }

  init(_ asset: Library.Asset) {
    localIdentifier = asset.localIdentifier
    mediaType = MediaType(rawValue: asset.mediaType) ?? .unknown
    mediaSubtypes = Set((asset.mediaSubtypes ?? []).map(MediaSubtype.init(rawValue:)))
    sourceType = AssetSourceType(rawValue: asset.sourceType) ?? .typeUserLibrary
    creationDate = asset.creationDate.map(Date.init(microseconds:))
    modificationDate = Date(microseconds: asset.modificationDate)
    addedDate = Date(microseconds: asset.addedDate)
    pixelWidth = Int(clamping: asset.pixelWidth)
    pixelHeight = Int(clamping: asset.pixelHeight)
    duration = TimeInterval(asset.duration ?? 0) / 1_000
    isFavorite = asset.isFavorite
    location =
      if let latitude = asset.latitude, let longitude = asset.longitude {
        Location(latitude: latitude, longitude: longitude)
      } else {
        nil
      }
    filename = asset.filename
    version = asset.version
    caption = asset.caption
    albumIdentifiers = asset.albums
  }
}
