/// The source of an asset. A source that this version does not know reads as ``typeUserLibrary``.
///
/// Source: https://developer.apple.com/documentation/photos/phassetsourcetype
public enum AssetSourceType: String, Hashable, Sendable, CaseIterable {
  // Raw values are the broker's names.
  /// The person's own library.
  case typeUserLibrary = "userLibrary"
  /// Another library, which shares it into this one.
  case typeCloudShared = "cloudShared"
}
