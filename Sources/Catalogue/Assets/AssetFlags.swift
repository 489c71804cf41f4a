/// What the owner, an app or the storage backend says about an asset, one bit each.
package struct AssetFlags: OptionSet, Hashable, Sendable {
  package var rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let favourite = AssetFlags(rawValue: 1 << 0)
  /// Kept by the owner out of every view (R13).
  package static let hidden = AssetFlags(rawValue: 1 << 1)
  /// Beats every grant (R13).
  package static let neverShare = AssetFlags(rawValue: 1 << 2)
  /// Shared into this library by another one: never part of a limited view (R45).
  package static let cloudShared = AssetFlags(rawValue: 1 << 3)
  /// Deleted and restorable by the owner; in no view.
  package static let trashed = AssetFlags(rawValue: 1 << 4)

  static let bits = 5
}
