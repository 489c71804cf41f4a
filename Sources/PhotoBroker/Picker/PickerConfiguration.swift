/// How a picker is to be.
///
/// Source: https://developer.apple.com/documentation/photosui/phpickerconfiguration
public struct PickerConfiguration: Hashable, Sendable {
  /// How what is picked is marked.
  public enum Selection: Hashable, Sendable, CaseIterable {
    /// By a check mark.
    case `default`
    /// By its number, and the order of picking is kept; needs a limit other than 1.
    case ordered
  }

  /// How many may be picked; 0 is any number, at most 1,000. Default: 1.
  public var selectionLimit = 1
  /// What may be picked; nil is everything. Default: nil.
  public var filter: PickerFilter?
  /// How what is picked is marked. Default: by a check mark.
  public var selection = Selection.default
  /// Whether results carry the assets' identifiers. Default: false.
  public var givesIdentifiers = false
  /// Selected when it opens; needs identifiers and a limit other than 1, and no more than the limit.
  public var preselectedAssetIdentifiers: [String] = []

  /// A picker for one photo or video.
  public init() {}
}
