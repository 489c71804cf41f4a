/// Options of a picker.
///
/// Source: https://developer.apple.com/documentation/photosui/phpickerconfiguration
public struct PickerConfiguration: Hashable, Sendable {
  /// The way in which picked photos are marked.
  public enum Selection: Hashable, Sendable, CaseIterable {
    /// By a check mark.
    case `default`
    /// By number, in the order of picking. Needs a limit other than 1.
    case ordered
  }

  /// Maximum number of picked photos; 0 means no limit of the app's, up to 1,000. Default: 1.
  public var selectionLimit = 1
  /// The photos that can be picked; nil means all. Default: nil.
  public var filter: PickerFilter?
  /// The way in which picked photos are marked. Default: by a check mark.
  public var selection = Selection.default
  /// Whether results carry the assets' identifiers. Default: false.
  public var givesIdentifiers = false
  /// The assets that are selected when the picker opens. Needs identifiers and a limit other than
  /// 1; at most as many as the limit.
  public var preselectedAssetIdentifiers: [String] = []

  /// Creates options for picking one photo or video.
  public init() {}
}
