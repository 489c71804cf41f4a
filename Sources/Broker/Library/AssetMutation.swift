package import Catalogue

/// What the indexer found out, for the library to take up.
package enum AssetMutation: Sendable {
  /// A new asset, or one that was away; its number and identifier are given by the library, whatever the record says.
  case insert(AssetRecord)
  /// The facts of a known asset, by its row's number. Marks and edited fields stay as they are.
  case update(AssetRecord)
  /// The same, after the asset's bytes changed and were looked into: what they say against an edit is a conflict. The
  /// record has the caption that is in force, `caption` is the file's.
  case reread(AssetRecord, caption: String?)
  /// It is none of its own any more: its files are another asset's.
  case remove(AssetNumber)
  /// The asset's files are gone, and may be back.
  case lose(AssetNumber)
}
