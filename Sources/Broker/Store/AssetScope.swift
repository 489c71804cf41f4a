package import Catalogue
package import PhotoModel

/// Some assets to read: by number, by a file's folder or place, or by an identity.
package struct AssetScope: Sendable {
  package var assets: Set<AssetNumber>
  package var folders: [StorageFolder]
  /// Places of single files.
  package var locators: Set<ExactText>
  /// Identities that survive moves.
  package var hints: Set<String>
  /// Identifiers shared by the halves of a Live Photo.
  package var livePhotoIdentifiers: Set<String>

  package init(
    assets: Set<AssetNumber> = [], folders: [StorageFolder] = [], locators: Set<ExactText> = [],
    hints: Set<String> = [],
    livePhotoIdentifiers: Set<String> = []
  ) {
    self.assets = assets
    self.folders = folders
    self.locators = locators
    self.hints = hints
    self.livePhotoIdentifiers = livePhotoIdentifiers
  }

  package func contains(_ asset: AssetRecord) -> Bool {
    if assets.contains(asset.row.number) { return true }
    if let identifier = asset.livePhotoIdentifier, livePhotoIdentifiers.contains(identifier) { return true }
    return asset.resources.contains { resource in
      resource.identityHint.map(hints.contains) ?? false || locators.contains(ExactText(resource.locator))
        || folders.contains { $0.contains(resource.locator) }
    }
  }
}
