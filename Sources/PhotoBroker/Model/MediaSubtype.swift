/// A property of the picture or video, such as a screenshot or a burst. The set is open.
public struct MediaSubtype: RawRepresentable, Hashable, Sendable {
  /// The broker's name of the subtype.
  public let rawValue: String

  /// Creates a subtype from any name.
  public init(rawValue: String) { self.rawValue = rawValue }

  // MARK: PhotoKit's
  // Source: https://developer.apple.com/documentation/photos/phassetmediasubtype

  /// A picture with a short video beside it.
  public static let photoLive = MediaSubtype(rawValue: "livePhoto")
  /// A picture of a screen.
  public static let photoScreenshot = MediaSubtype(rawValue: "screenshot")
  /// A panorama.
  public static let photoPanorama = MediaSubtype(rawValue: "panorama")
  /// A picture or a video of high dynamic range.
  public static let photoHDR = MediaSubtype(rawValue: "hdr")
  /// A moving picture, such as an animated GIF.
  public static let photoAnimation = MediaSubtype(rawValue: "animated")
  /// A video for slow motion.
  public static let videoHighFrameRate = MediaSubtype(rawValue: "highFrameRate")
  /// A time-lapse video.
  public static let videoTimelapse = MediaSubtype(rawValue: "timelapse")

  // MARK: Our own

  /// One of a burst.
  public static let burst = MediaSubtype(rawValue: "burst")
  /// A picture with a RAW file beside it.
  public static let raw = MediaSubtype(rawValue: "raw")
  /// A picture with a short video inside it.
  public static let motionPhoto = MediaSubtype(rawValue: "motionPhoto")
  /// A picture that was edited.
  public static let edited = MediaSubtype(rawValue: "edited")
  /// A picture or video whose file lacks its end.
  public static let incomplete = MediaSubtype(rawValue: "incomplete")
}
