/// The keys of a manifest.
enum ManifestKey {
  static let identifier = "identifier"
  static let name = "name"
  static let hasScreen = "hasScreen"
  static let usage = "NSPhotoLibraryUsageDescription"
  static let addUsage = "NSPhotoLibraryAddUsageDescription"
  static let suppression = "PHPhotoLibraryPreventAutomaticLimitedAccessAlert"
  static let localizations = "localizations"
  /// What a property list calls the identifier and the name; taken where our own key is absent.
  static let bundleIdentifier = "CFBundleIdentifier"
  static let bundleDisplayName = "CFBundleDisplayName"
  static let bundleName = "CFBundleName"
  /// The language of the texts that no localization holds.
  static let region = "CFBundleDevelopmentRegion"

  static let all = [
    identifier, name, hasScreen, usage, addUsage, suppression, localizations, bundleIdentifier, bundleDisplayName,
    bundleName,
    region,
  ]
  /// The keys that a localization may hold.
  static let localizable = [usage, addUsage]
}
