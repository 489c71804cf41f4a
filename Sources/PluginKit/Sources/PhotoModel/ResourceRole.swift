/// The role of a file in its asset. Resources are selected, counted and deleted with their asset.
public enum ResourceRole: String, Sendable, Hashable, CaseIterable {
  /// The photo or video as it was imported.
  case original
  /// The edited version, if any; apps get it as the current one.
  case edited
  /// The camera's RAW file beside a JPEG or HEIC.
  case raw
  /// The video of a Live Photo.
  case pairedVideo
  /// An XMP file beside the photo.
  case sidecar
}
