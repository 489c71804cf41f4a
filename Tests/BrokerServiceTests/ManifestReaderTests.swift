import Broker
import Limits
import Testing
import Varlink

@testable import BrokerService

struct ManifestReaderTests {
  private func read(_ json: String) throws -> Manifest {
    try ManifestReader.read(JSONObject(message: Array(json.utf8), rules: .server))
  }

  /// The parameter in the error; nil for a valid manifest.
  private func complaint(_ json: String) throws -> String? {
    do {
      _ = try read(json)
      return nil
    } catch CallFailure.service(.invalidParameter(let parameter, _)) { return parameter }
  }

  @Test func `R29 R30 R60 a complete manifest is read`() throws {
    let manifest = try read(
      #"""
      {"identifier": "org.example.frame", "name": "Frame", "hasScreen": false, "NSPhotoLibraryUsageDescription": "Shows.",
       "NSPhotoLibraryAddUsageDescription": "Saves.", "PHPhotoLibraryPreventAutomaticLimitedAccessAlert": true,
       "readOnly": true,
       "localizations": {"de": {"NSPhotoLibraryUsageDescription": "Zeigt."}, "pt-BR": {"NSPhotoLibraryAddUsageDescription": "Guarda."}},
       "unknown": {"a": [1, null]}}
      """#)
    #expect(
      manifest
        == Manifest(
          identifier: "org.example.frame", displayName: "Frame", hasScreen: false,
          usageDescription: LocalizedText(defaultText: "Shows.", translations: ["de": "Zeigt."]),
          addUsageDescription: LocalizedText(defaultText: "Saves.", translations: ["pt-br": "Guarda."]),
          preventsAutomaticLimitedAccessAlert: true, isReadOnly: true))
  }

  @Test func `an identifier alone is a manifest, and Apple's keys replace missing ones`() throws {
    let bare = try read(#"{"identifier": "a"}"#)
    #expect(bare.displayName == "a" && bare.hasScreen && !bare.preventsAutomaticLimitedAccessAlert)
    #expect(bare.usageDescription.defaultText == nil && bare.addUsageDescription.defaultText == nil)
    let apple = try read(#"{"CFBundleIdentifier": "b", "CFBundleDisplayName": "B"}"#)
    #expect((apple.identifier, apple.displayName) == ("b", "B"))
    #expect(try read(#"{"identifier": "a", "CFBundleName": "N", "CFBundleDisplayName": "B"}"#).displayName == "B")
    #expect(try read(#"{"identifier": "a", "CFBundleName": "N"}"#).displayName == "N")
    let both = try read(#"{"identifier": "a", "CFBundleIdentifier": "b", "name": "A", "CFBundleDisplayName": "B"}"#)
    #expect((both.identifier, both.displayName) == ("a", "A"))
  }

  @Test func `R29 a reader of the default's language sees the default if the manifest names that language`()
    throws
  {
    let texts =
      #""NSPhotoLibraryUsageDescription": "Shows.", "localizations": {"de": {"NSPhotoLibraryUsageDescription": "Zeigt."}}"#
    let unsaid = try read(#"{"identifier": "a", \#(texts)}"#)
    #expect(unsaid.usageDescription.text(for: .init("en,de")) == "Zeigt.")
    let said = try read(#"{"identifier": "a", "CFBundleDevelopmentRegion": "en", \#(texts)}"#)
    #expect(said.usageDescription.text(for: .init("en-GB,de")) == "Shows.")
    #expect(said.usageDescription.text(for: .init("de,en")) == "Zeigt.")
    #expect(said.addUsageDescription == LocalizedText(defaultText: nil))
    let translated = try read(#"{"identifier": "a", "CFBundleDevelopmentRegion": "de", \#(texts)}"#)
    #expect(translated.usageDescription.text(for: .init("de")) == "Zeigt.")
  }

  @Test func `null counts as absent`() throws {
    let manifest = try read(
      #"{"identifier": "a", "name": null, "hasScreen": null, "localizations": null, "NSPhotoLibraryUsageDescription": null}"#
    )
    #expect(
      manifest.displayName == "a" && manifest.hasScreen && manifest.usageDescription == LocalizedText(defaultText: nil))
  }

  @Test(arguments: [
    (#"{}"#, "manifest.identifier"), (#"{"identifier": ""}"#, "manifest.identifier"),
    (#"{"identifier": "a b"}"#, "manifest.identifier"),
    (#"{"identifier": "ä"}"#, "manifest.identifier"), (#"{"identifier": "a/b"}"#, "manifest.identifier"),
    (#"{"identifier": "a\u0000"}"#, "manifest.identifier"), (#"{"identifier": 1}"#, "manifest.identifier"),
    (#"{"identifier": "a", "CFBundleIdentifier": []}"#, "manifest.CFBundleIdentifier"),
    (#"{"identifier": "a", "name": ""}"#, "manifest.name"), (#"{"identifier": "a", "name": true}"#, "manifest.name"),
    (#"{"identifier": "a", "hasScreen": "yes"}"#, "manifest.hasScreen"),
    (#"{"identifier": "a", "hasScreen": 1}"#, "manifest.hasScreen"),
    (#"{"identifier": "a", "NSPhotoLibraryUsageDescription": {}}"#, "manifest.NSPhotoLibraryUsageDescription"),
    (#"{"identifier": "a", "localizations": []}"#, "manifest.localizations"),
    (#"{"identifier": "a", "localizations": {"de": "Text"}}"#, "manifest.localizations.de"),
    (
      #"{"identifier": "a", "localizations": {"de": {"NSPhotoLibraryUsageDescription": 1}}}"#,
      "manifest.NSPhotoLibraryUsageDescription"
    ),
  ])
  func `a mistake is named`(json: String, parameter: String) throws {
    #expect(try complaint(json) == parameter)
  }

  @Test func `lengths are limited`() throws {
    func named(_ identifier: Int, _ name: Int) -> String {
      #"{"identifier": "\#(String(repeating: "a", count: identifier))", "name": "\#(String(repeating: "n", count: name))"}"#
    }
    #expect(try complaint(named(128, 256)) == nil)
    #expect(try complaint(named(129, 1)) == "manifest.identifier")
    #expect(try complaint(named(1, 257)) == "manifest.name")
    let filler = String(repeating: "x", count: ServiceLimits.manifestBytes)
    #expect(try complaint(#"{"identifier": "a", "filler": "\#(filler)"}"#) == "manifest")
  }
}
