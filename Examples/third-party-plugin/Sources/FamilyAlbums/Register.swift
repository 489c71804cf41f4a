import PluginKit

@_cdecl("photobroker_plugin_kit")
public func kit() -> UnsafePointer<CChar> { PluginKitVersion.symbol }

@_cdecl("photobroker_plugin_register")
public func register(_ registry: UnsafeMutableRawPointer) {
  PluginRegistry.from(registry).add(
    albumPolicy: "family-albums", FamilyAlbums.self,
    options: [PluginOption("word", .text, default: "Family", summary: "What the titles of family albums begin with.")],
    summary: "An app's own albums, and to read the shared ones whose title begins with a word.")
}
