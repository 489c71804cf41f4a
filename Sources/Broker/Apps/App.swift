package import PhotoModel

/// A registered app while the broker runs.
package final class App {
  package internal(set) var record: AppRecord {
    didSet { readDescriptions() }
  }
  /// True once the app was forgotten: what still refers to it is refused.
  package internal(set) var isRemoved = false
  private var describesReading = false
  private var describesAdding = false

  init(record: AppRecord) {
    self.record = record
    readDescriptions()
  }

  package var identifier: AppIdentifier { record.identifier }

  /// Whether the manifest says why the app wants this level (R31, R32).
  package func describes(_ level: AccessLevel) -> Bool {
    level == .addOnly ? describesAdding : describesReading
  }

  /// The app's own words on why it wants this level; nil where they are missing or blank.
  package func usageDescription(_ level: AccessLevel, language: String?) -> String? {
    Self.description(level, of: record.manifest).text(for: language)
  }

  /// R30.
  package static func usageKey(_ level: AccessLevel) -> String {
    level == .addOnly ? "NSPhotoLibraryAddUsageDescription" : "NSPhotoLibraryUsageDescription"
  }

  private static func description(_ level: AccessLevel, of manifest: Manifest) -> LocalizedText {
    level == .addOnly ? manifest.addUsageDescription : manifest.usageDescription
  }

  private func readDescriptions() {
    describesReading = usageDescription(.readWrite, language: nil) != nil
    describesAdding = usageDescription(.addOnly, language: nil) != nil
  }
}
