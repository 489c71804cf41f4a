/// Marks by the owner, an app or the storage, one bit each. Inlinable, because they are tested for
/// every asset of every page.
package struct AssetFlags: OptionSet, Hashable, Sendable {
  package var rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable package static var favourite: AssetFlags { AssetFlags(rawValue: 1 << 0) }
  /// Hidden by the owner from every view (R13).
  @inlinable package static var hidden: AssetFlags { AssetFlags(rawValue: 1 << 1) }
  /// Overrides every grant (R13).
  @inlinable package static var neverShare: AssetFlags { AssetFlags(rawValue: 1 << 2) }
  /// Shared into this library by another one; never part of a limited view (R45).
  @inlinable package static var cloudShared: AssetFlags { AssetFlags(rawValue: 1 << 3) }
  /// Deleted, and restorable by the owner; in no view.
  @inlinable package static var trashed: AssetFlags { AssetFlags(rawValue: 1 << 4) }
  /// Its files cannot be found at the moment. In no view, and in no list of its owner's.
  @inlinable package static var missing: AssetFlags { AssetFlags(rawValue: 1 << 5) }

  /// The owner's marks that keep an asset from apps.
  package static var withheld: AssetFlags { [.hidden, .neverShare] }

  static let bits = 6

  @inlinable package func contains(_ member: AssetFlags) -> Bool { rawValue & member.rawValue == member.rawValue }
}
