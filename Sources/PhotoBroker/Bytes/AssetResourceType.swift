/// The role of a file in its asset. The set is open.
public struct AssetResourceType: RawRepresentable, Hashable, Sendable {
  /// PhotoKit's name, or the broker's if PhotoKit has none.
  public let rawValue: String

  /// Creates a type from any name.
  public init(rawValue: String) { self.rawValue = rawValue }

  // MARK: PhotoKit's
  // Source: https://developer.apple.com/documentation/photos/phassetresourcetype

  /// An original picture.
  public static let photo = AssetResourceType(rawValue: "photo")
  /// An original video.
  public static let video = AssetResourceType(rawValue: "video")
  /// Original sound.
  public static let audio = AssetResourceType(rawValue: "audio")
  /// The RAW file of a picture.
  public static let alternatePhoto = AssetResourceType(rawValue: "alternatePhoto")
  /// An edited picture.
  public static let fullSizePhoto = AssetResourceType(rawValue: "fullSizePhoto")
  /// An edited video.
  public static let fullSizeVideo = AssetResourceType(rawValue: "fullSizeVideo")
  /// The video of a Live Photo.
  public static let pairedVideo = AssetResourceType(rawValue: "pairedVideo")

  // MARK: Our own

  /// Metadata in a file of its own.
  public static let sidecar = AssetResourceType(rawValue: "sidecar")

  // MARK: The broker's words

  /// Converts a role of the broker. A role that this version does not know keeps its name.
  init(role: String, in mediaType: MediaType) {
    self =
      switch (role, mediaType) {
      case ("original", .video): .video
      case ("original", .audio): .audio
      case ("original", _): .photo
      case ("edited", .video): .fullSizeVideo
      case ("edited", _): .fullSizePhoto
      case ("raw", _): .alternatePhoto
      default: AssetResourceType(rawValue: role)
      }
  }

  /// Returns the broker's role.
  ///
  /// - Throws: ``PhotosError`` `missingResource` if no asset of this media type has such a file.
  func role(in mediaType: MediaType) throws -> String {
    let role =
      switch self {
      case .photo, .video, .audio: "original"
      case .fullSizePhoto, .fullSizeVideo: "edited"
      case .alternatePhoto: "raw"
      default: rawValue
      }
    guard AssetResourceType(role: role, in: mediaType) == self else {
      throw PhotosError(
        .missingResource,
        "No asset of the type \(mediaType) has a \(rawValue); AssetResource.assetResources lists what an asset has.")
    }
    return role
  }
}
