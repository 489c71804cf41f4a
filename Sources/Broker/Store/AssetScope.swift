package import PhotoModel

/// The assets to read for a comparison: those with a file in one of these folders or places, or
/// with one of these identities.
package struct AssetScope: Sendable {
  package var folders: [StorageFolder]
  /// Places of single files.
  package var locators: Set<ExactText>
  /// Identities that survive moves.
  package var hints: Set<String>
  /// Identifiers shared by the halves of a Live Photo.
  package var livePhotoIdentifiers: Set<String>

  package init(
    folders: [StorageFolder] = [], locators: Set<ExactText> = [], hints: Set<String> = [],
    livePhotoIdentifiers: Set<String> = []
  ) {
    self.folders = folders
    self.locators = locators
    self.hints = hints
    self.livePhotoIdentifiers = livePhotoIdentifiers
  }

  package func contains(_ asset: AssetRecord) -> Bool {
    if let identifier = asset.livePhotoIdentifier, livePhotoIdentifiers.contains(identifier) { return true }
    return asset.resources.contains { resource in
      resource.identityHint.map(hints.contains) ?? false || locators.contains(ExactText(resource.locator))
        || folders.contains { $0.contains(resource.locator) }
    }
  }
}
