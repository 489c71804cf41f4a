import Catalogue

/// An owner's reset of an asset to the values of its file, which the next scan reads.
struct AssetReset {
  /// Makes the decision to store.
  let decide: (ValueChange<AssetValues?>, AssetRow) -> StoreChange
  /// Called with whether the file was read, after the commit.
  let finish: (Bool) -> Void
  /// Whether a scan that reads the file has begun.
  var isLooked = false
}
