/// Properties of an asset, such as a screenshot or a burst, with PhotoKit's names where they exist.
@frozen public struct MediaSubtypes: OptionSet, Hashable, Sendable {
  public var rawValue: UInt32
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let livePhoto = MediaSubtypes(rawValue: 1 << 0)
  public static let screenshot = MediaSubtypes(rawValue: 1 << 1)
  public static let panorama = MediaSubtypes(rawValue: 1 << 2)
  public static let hdr = MediaSubtypes(rawValue: 1 << 3)
  public static let burst = MediaSubtypes(rawValue: 1 << 4)
  public static let highFrameRate = MediaSubtypes(rawValue: 1 << 5)
  public static let timelapse = MediaSubtypes(rawValue: 1 << 6)
  public static let raw = MediaSubtypes(rawValue: 1 << 7)
  public static let animated = MediaSubtypes(rawValue: 1 << 8)
  public static let motionPhoto = MediaSubtypes(rawValue: 1 << 9)
  public static let edited = MediaSubtypes(rawValue: 1 << 10)
  public static let incomplete = MediaSubtypes(rawValue: 1 << 11)

  /// Every subtype with its name on the wire, in bit order.
  public static let names: [(MediaSubtypes, String)] = [
    (.livePhoto, "livePhoto"), (.screenshot, "screenshot"), (.panorama, "panorama"), (.hdr, "hdr"), (.burst, "burst"),
    (.highFrameRate, "highFrameRate"), (.timelapse, "timelapse"), (.raw, "raw"), (.animated, "animated"),
    (.motionPhoto, "motionPhoto"), (.edited, "edited"),
    (.incomplete, "incomplete"),
  ]
}
