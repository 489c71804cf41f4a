enum ManifestKey {
  static let identifier = "identifier"
  static let name = "name"
  static let hasScreen = "hasScreen"
  static let usage = "NSPhotoLibraryUsageDescription"
  static let addUsage = "NSPhotoLibraryAddUsageDescription"
  static let suppression = "PHPhotoLibraryPreventAutomaticLimitedAccessAlert"
  static let readOnly = "readOnly"
  static let localizations = "localizations"
  /// Keys of property lists, used if our own key is absent.
  static let bundleIdentifier = "CFBundleIdentifier"
  static let bundleDisplayName = "CFBundleDisplayName"
  static let bundleName = "CFBundleName"
  /// The language of the default texts.
  static let region = "CFBundleDevelopmentRegion"

  static let all = [
    identifier, name, hasScreen, usage, addUsage, suppression, readOnly, localizations, bundleIdentifier,
    bundleDisplayName,
    bundleName,
    region,
  ]
  /// The keys of a localization.
  static let localizable = [usage, addUsage]
}
