/// The media type of an asset. A type that this version does not know reads as ``unknown``.
public enum MediaType: String, Hashable, Sendable, CaseIterable {
  /// None of the types below.
  case unknown
  /// A picture, moving or not.
  case image
  /// A video.
  case video
  /// Sound alone.
  case audio
}
