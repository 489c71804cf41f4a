public import Foundation
import Varlink

/// What an app says about itself when it is introduced: its name and why it wants the photos.
public struct AppManifest: Hashable, Sendable {
  /// Letters, digits, dots, hyphens and underscores, at most 128; names the app, its grants and its token file.
  public let identifier: String
  let json: JSONObject

  /// A manifest from its parts.
  ///
  /// - Parameters:
  ///   - identifier: in reverse domain notation, for instance `org.example.journal`.
  ///   - name: what people are shown.
  ///   - usageDescription: why the app wants to read; without it reading cannot be requested.
  ///   - addUsageDescription: why the app wants to add; without it adding alone cannot be
  ///     requested, and adding asks for reading too.
  ///   - hasScreen: false for an app that cannot show a prompt of its own.
  ///   - preventsAutomaticLimitedAccessAlert: true for an app that offers the selection page
  ///     itself.
  public init(
    identifier: String, name: String, usageDescription: String? = nil, addUsageDescription: String? = nil,
    hasScreen: Bool = true, preventsAutomaticLimitedAccessAlert: Bool = false
  ) {
    self.identifier = identifier
    var json: JSONObject = [
      "identifier": .string(identifier), "name": .string(name), "hasScreen": .bool(hasScreen),
      "PHPhotoLibraryPreventAutomaticLimitedAccessAlert": .bool(preventsAutomaticLimitedAccessAlert),
    ]
    json["NSPhotoLibraryUsageDescription"] = usageDescription.map { .string($0) }
    json["NSPhotoLibraryAddUsageDescription"] = addUsageDescription.map { .string($0) }
    self.json = json
  }

  /// The manifest of a file, JSON as the interface's `Introduce` describes it or a property list
  /// with the same keys; translations are in it too.
  ///
  /// - Throws: what reading the file throws; ``PhotoLibraryError`` where it is neither, or has no
  ///   `identifier` (or `CFBundleIdentifier`).
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

  /// Whether it gives a reason for a level of access.
  func describes(_ level: AccessLevel) -> Bool {
    guard
      case .string(let text)? = json[
        level == .addOnly ? "NSPhotoLibraryAddUsageDescription" : "NSPhotoLibraryUsageDescription"]
    else {
      return false
    }
    return text.contains { !$0.isWhitespace }
  }

  /// Its text, by which a later version of it is told from this one.
  var text: String {
    var writer = JSONWriter()
    json.encode(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
