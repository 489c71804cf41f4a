/// How a picker is to be.
///
/// Source: https://developer.apple.com/documentation/photosui/phpickerconfiguration
public struct PickerConfiguration: Hashable, Sendable {
  /// How many may be picked; 0 is any number. Default: 1.
  public var selectionLimit = 1
  /// Only these media types; empty is all. Default: all.
  public var mediaTypes: Set<MediaType> = []
  /// Whether the order of picking is kept; needs a limit other than 1. Default: false.
  public var isOrdered = false
  /// Whether results carry the assets' identifiers. Default: false.
  public var givesIdentifiers = false
  /// Selected when it opens; needs identifiers and a limit other than 1.
  public var preselectedAssetIdentifiers: [String] = []

  /// A picker for one photo or video.
  public init() {}
}
