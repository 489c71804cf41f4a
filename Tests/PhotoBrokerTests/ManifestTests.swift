import Foundation
import Testing
import Varlink

@testable import PhotoBroker

@Suite struct ManifestTests {
  private static func manifest(_ text: String) throws -> AppManifest {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("manifest-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(text.utf8).write(to: file)
    return try AppManifest(contentsOf: file)
  }

  @Test(arguments: ["identifier", "CFBundleIdentifier"])
  func `R29 R30 R33 a manifest is JSON or a property list with the same keys`(key: String) throws {
    let list = try Self.manifest(
      """
      <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
      <key>\(key)</key><string>org.example.journal</string>
      <key>NSPhotoLibraryUsageDescription</key><string>Why &amp; how.</string>
      <key>PHPhotoLibraryPreventAutomaticLimitedAccessAlert</key><true/>
      <key>Built</key><date>2026-01-01T00:00:00Z</date><key>Number</key><integer>1</integer>
      <key>localizations</key><dict><key>de</key><dict>
      <key>NSPhotoLibraryUsageDescription</key><string>Warum.</string></dict></dict></dict></plist>
      """)
    let json = try Self.manifest(
      """
      {"\(key)":"org.example.journal","NSPhotoLibraryUsageDescription":"Why & how.","Number":1,
      "PHPhotoLibraryPreventAutomaticLimitedAccessAlert":true,"localizations":{"de":{"NSPhotoLibraryUsageDescription":"Warum."}}}
      """)
    #expect(list.identifier == "org.example.journal" && json.identifier == list.identifier)
    for name in [
      key, "NSPhotoLibraryUsageDescription", "PHPhotoLibraryPreventAutomaticLimitedAccessAlert", "localizations",
      "Number",
    ] {
      #expect(list.json[name] == json.json[name] && json.json[name] != nil, "\(name)")
    }
    #expect(list.json["Built"] == nil)
  }

  @Test(arguments: ["", "[]", "{}", "<plist version=\"1.0\"><array/></plist>", "words"])
  func `a file that is not a manifest is refused`(text: String) {
    #expect(throws: PhotoLibraryError.self) { try Self.manifest(text) }
  }
}
