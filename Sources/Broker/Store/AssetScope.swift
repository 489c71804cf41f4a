package import PhotoModel

/// Assets to read for a comparison: those with a file in one of these folders or places, or with
/// one that bears one of these marks.
package struct AssetScope: Sendable {
  package var folders: [StorageFolder]
  /// Where single files are.
  package var locators: Set<ExactText>
  /// What stays with a file that moves.
  package var hints: Set<String>
  /// What joins the halves of a Live Photo.
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
