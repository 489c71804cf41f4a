import BrokerInterface
public import Foundation

/// One photo or video.
public struct Asset: Hashable, Sendable, Identifiable {
  /// Names the asset for this app, for as long as the asset exists.
  public let localIdentifier: String
  /// What it is.
  public let mediaType: MediaType
  /// What is special about it; subtypes that this version does not know are kept by name.
  public let mediaSubtypes: Set<MediaSubtype>
  /// Where it comes from.
  public let sourceType: AssetSourceType
  /// When it was taken; nil where nothing says.
  public let creationDate: Date?
  /// When its bytes or its metadata last changed.
  public let modificationDate: Date
  /// When it came into the library.
  public let addedDate: Date
  /// Width in pixels, upright; 0 where unknown.
  public let pixelWidth: Int
  /// Height in pixels, upright; 0 where unknown.
  public let pixelHeight: Int
  /// Length in seconds; 0 for what is no video.
  public let duration: TimeInterval
  /// Whether a person marked it as a favourite.
  public let isFavorite: Bool
  /// Where it was taken; nil where no place is known.
  public let location: Location?
  /// The file's name, without its folder.
  public let filename: String
  /// Changes whenever the asset changes.
  public let version: String

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
  }
}
