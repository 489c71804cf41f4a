import Broker
import Limits
import Varlink

/// Reads an app's manifest from the wire. None of it is trusted.
enum ManifestReader {
  static func read(_ object: JSONObject) throws(CallFailure) -> Manifest {
    guard object.jsonBytes.count <= ServiceLimits.manifestBytes else {
      throw .invalid("manifest", "it has more than \(ServiceLimits.manifestBytes) bytes")
    }
    let bundleIdentifier = try text(object, "CFBundleIdentifier")
    let identifier = try text(object, "identifier") ?? bundleIdentifier ?? ""
    guard isIdentifier(identifier) else { throw .invalid("manifest.identifier", identifierRule) }
    let (displayName, bundleName) = (try text(object, "CFBundleDisplayName"), try text(object, "CFBundleName"))
    let name = try text(object, "name") ?? displayName ?? bundleName ?? identifier
    guard !name.isEmpty, name.utf8.count <= 256 else {
      throw .invalid("manifest.name", "a name has 1 to 256 bytes")
    }
    return Manifest(
      identifier: identifier, displayName: name, hasScreen: try flag(object, "hasScreen") ?? true,
      usageDescription: try localized(object, "NSPhotoLibraryUsageDescription"),
      addUsageDescription: try localized(object, "NSPhotoLibraryAddUsageDescription"),
      preventsAutomaticLimitedAccessAlert: try flag(object, "PHPhotoLibraryPreventAutomaticLimitedAccessAlert")
        ?? false,
      isReadOnly: try flag(object, "readOnly") ?? false)
  }

  static let identifierRule = "an identifier has 1 to 128 of a-z, A-Z, 0-9, point, hyphen and underscore"

  /// A small alphabet, compared byte by byte, so that no two identifiers look alike.
  static func isIdentifier(_ text: String) -> Bool {
    let bytes = text.utf8
    return (1...128).contains(bytes.count)
      && bytes.allSatisfy {
        (0x61...0x7a).contains($0) || (0x41...0x5a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2e
          || $0 == 0x2d || $0 == 0x5f
      }
  }

  private static func text(_ object: JSONObject, _ key: String) throws(CallFailure) -> String? {
    switch object[key] {
    case nil, .null?: return nil
    case .string(let text)?: return text
    default: throw .invalid("manifest.\(key)", "it is not a string")
    }
  }

  private static func flag(_ object: JSONObject, _ key: String) throws(CallFailure) -> Bool? {
    switch object[key] {
    case nil, .null?: return nil
    case .bool(let value)?: return value
    default: throw .invalid("manifest.\(key)", "it is not true or false")
    }
  }

  /// The text under the key itself is the default; translations are under `localizations` by
  /// language tag. The default's own language is among them, or in `CFBundleDevelopmentRegion`.
  private static func localized(_ object: JSONObject, _ key: String) throws(CallFailure) -> LocalizedText {
    var result = LocalizedText(defaultText: try text(object, key))
    if let region = try text(object, "CFBundleDevelopmentRegion"), !region.isEmpty, let text = result.defaultText {
      result.translations[region.lowercased()] = text
    }
    guard let localizations = object["localizations"], localizations != .null else { return result }
    guard case .object(let languages) = localizations else {
      throw .invalid("manifest.localizations", "it is not an object with an object of texts for each language")
    }
    for entry in languages.entries {
      guard case .object(let texts) = entry.value else {
        throw .invalid("manifest.localizations.\(entry.key)", "it is not an object of texts")
      }
      if let text = try text(texts, key) { result.translations[entry.key.lowercased()] = text }
    }
    return result
  }
}
