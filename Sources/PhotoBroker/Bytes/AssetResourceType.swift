/// What a file is to its asset: an open set of words.
public struct AssetResourceType: RawRepresentable, Hashable, Sendable {
  /// PhotoKit's word; the broker's where PhotoKit has none.
  public let rawValue: String

  /// Any word.
  public init(rawValue: String) { self.rawValue = rawValue }

  // MARK: PhotoKit's
  // Source: https://developer.apple.com/documentation/photos/phassetresourcetype

  /// A picture as it came.
  public static let photo = AssetResourceType(rawValue: "photo")
  /// A video as it came.
  public static let video = AssetResourceType(rawValue: "video")
  /// Sound as it came.
  public static let audio = AssetResourceType(rawValue: "audio")
  /// The sensor's data beside a picture.
  public static let alternatePhoto = AssetResourceType(rawValue: "alternatePhoto")
  /// A picture after it was edited.
  public static let fullSizePhoto = AssetResourceType(rawValue: "fullSizePhoto")
  /// A video after it was edited.
  public static let fullSizeVideo = AssetResourceType(rawValue: "fullSizeVideo")
  /// The video of a Live Photo.
  public static let pairedVideo = AssetResourceType(rawValue: "pairedVideo")

  // MARK: Our own

  /// Metadata in a file of its own.
  public static let sidecar = AssetResourceType(rawValue: "sidecar")

  // MARK: The broker's words

  /// What a role is called in an asset of this type; a role that this version does not know keeps its word.
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

  /// The broker's word.
  ///
  /// - Throws: ``PhotosError`` `missingResource` where no asset of this type has such a file.
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
