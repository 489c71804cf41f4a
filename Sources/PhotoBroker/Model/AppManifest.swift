public import Foundation
import Varlink

/// An app's description of itself: its name and its reasons for access.
public struct AppManifest: Hashable, Sendable {
  /// Letters, digits, dots, hyphens and underscores, at most 128. It names the app, its grants and
  /// its token file.
  public let identifier: String
  let json: JSONObject

  /// Creates a manifest from its fields.
  ///
  /// - Parameters:
  ///   - identifier: reverse domain notation, for instance `org.example.journal`.
  ///   - name: the name that people are shown.
  ///   - usageDescription: the reason for reading. Without it the app cannot request reading.
  ///   - addUsageDescription: the reason for adding. Without it the app cannot request `addOnly`,
  ///     and asks for `readWrite` when it adds.
  ///   - hasScreen: false for an app that cannot show a prompt of its own.
  ///   - preventsAutomaticLimitedAccessAlert: true for an app that offers the selection page
  ///     itself.
  ///   - readOnly: true for an app that changes no photos. The person sees that it asks to see photos
  ///     only, and its access is read-only unless they decide otherwise.
  public init(
    identifier: String, name: String, usageDescription: String? = nil, addUsageDescription: String? = nil,
    hasScreen: Bool = true, preventsAutomaticLimitedAccessAlert: Bool = false, readOnly: Bool = false
  ) {
    self.identifier = identifier
    var json: JSONObject = [
      "identifier": .string(identifier), "name": .string(name), "hasScreen": .bool(hasScreen),
      "PHPhotoLibraryPreventAutomaticLimitedAccessAlert": .bool(preventsAutomaticLimitedAccessAlert),
    ]
    json["NSPhotoLibraryUsageDescription"] = usageDescription.map { .string($0) }
    json["NSPhotoLibraryAddUsageDescription"] = addUsageDescription.map { .string($0) }
    if readOnly { json["readOnly"] = .bool(true) }
    self.json = json
  }

  /// Reads a manifest from a file: JSON as the interface's `Introduce` describes it, or a property
  /// list with the same keys. The file may hold translations.
  ///
  /// - Throws: the error of reading the file; ``PhotoLibraryError`` if it is neither JSON nor a
  ///   property list, or has no `identifier` (or `CFBundleIdentifier`).
  public init(contentsOf file: URL) throws {
    let data = try Data(contentsOf: file)
    let bytes = [UInt8](data)
    guard let json = (try? JSONObject(message: bytes.span, rules: .client)) ?? Self.json(propertyList: data),
      case .string(let identifier)? = json["identifier"] ?? json["CFBundleIdentifier"]
    else {
      throw PhotoLibraryError(
        .badReply, "The manifest is neither a JSON object nor a property list with an identifier.")
    }
    self.identifier = identifier
    self.json = json
  }

  /// Whether the manifest gives a reason for `level`.
  func describes(_ level: AccessLevel) -> Bool {
    let key = level == .addOnly ? "NSPhotoLibraryAddUsageDescription" : "NSPhotoLibraryUsageDescription"
    guard case .string(let text)? = json[key] else { return false }
    return text.contains { !$0.isWhitespace }
  }

  /// The JSON text; a text that changed since the last introduction introduces the app again.
  var text: String { String(decoding: json.jsonBytes, as: UTF8.self) }
}
