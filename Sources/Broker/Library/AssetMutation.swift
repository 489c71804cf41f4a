package import Catalogue

/// A finding of the indexer, which the library applies.
package enum AssetMutation: Sendable {
  /// A new asset, or the return of a missing one. The library assigns its number and identifier.
  case insert(AssetRecord)
  /// New facts of a known asset, found by its row's number. Marks and edited fields stay.
  case update(AssetRecord)
  /// The same, after the asset's bytes changed and were parsed. The record has the edited caption,
  /// if any; `caption` and `isFavourite` are the file's.
  case reread(AssetRecord, caption: String?, isFavourite: Bool = false)
  /// The asset has no files of its own any more: they belong to another asset.
  case remove(AssetNumber)
  /// The asset's files are missing, and may return.
  case lose(AssetNumber)
}
