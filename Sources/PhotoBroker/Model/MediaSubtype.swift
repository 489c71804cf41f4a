/// What is special about an asset: an open set of words.
public struct MediaSubtype: RawRepresentable, Hashable, Sendable {
  /// The broker's word.
  public let rawValue: String

  /// Any word.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A picture with a short video beside it.
  public static let livePhoto = MediaSubtype(rawValue: "livePhoto")
  /// A picture of a screen.
  public static let screenshot = MediaSubtype(rawValue: "screenshot")
  /// A panorama.
  public static let panorama = MediaSubtype(rawValue: "panorama")
  /// A picture of high dynamic range.
  public static let hdr = MediaSubtype(rawValue: "hdr")
  /// One of a burst.
  public static let burst = MediaSubtype(rawValue: "burst")
  /// A video for slow motion.
  public static let highFrameRate = MediaSubtype(rawValue: "highFrameRate")
  /// A time-lapse video.
  public static let timelapse = MediaSubtype(rawValue: "timelapse")
  /// A picture with a sensor's data beside it.
  public static let raw = MediaSubtype(rawValue: "raw")
  /// A moving picture.
  public static let animated = MediaSubtype(rawValue: "animated")
  /// A picture with a short video inside it.
  public static let motionPhoto = MediaSubtype(rawValue: "motionPhoto")
  /// A picture that was edited.
  public static let edited = MediaSubtype(rawValue: "edited")
}
