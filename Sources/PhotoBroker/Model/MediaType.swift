/// What an asset is. A type that this version does not know reads as ``unknown``.
public enum MediaType: String, Hashable, Sendable, CaseIterable {
  /// Something else.
  case unknown
  /// A picture, moving or not.
  case image
  /// A video.
  case video
  /// Sound alone.
  case audio
}
