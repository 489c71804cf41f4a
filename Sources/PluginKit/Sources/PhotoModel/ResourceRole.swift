/// What one file of an asset is to it. Resources are selected, counted and deleted together with their asset.
public enum ResourceRole: String, Sendable, Hashable, CaseIterable {
  /// The photo or video itself, as it came.
  case original
  /// The edited version, where one exists; apps get it as the current rendition.
  case edited
  /// The camera's raw file beside a JPEG or HEIC.
  case raw
  /// The video of a Live Photo.
  case pairedVideo
  /// An XMP file beside the photo.
  case sidecar
}
