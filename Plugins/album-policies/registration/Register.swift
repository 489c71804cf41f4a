import AlbumPolicies
import PluginKit

@_cdecl("photobroker_plugin_kit")
public func photobrokerPluginKit() -> UnsafePointer<CChar> { PluginKitVersion.symbol }

@_cdecl("photobroker_plugin_register")
public func photobrokerPluginRegister(_ registry: UnsafeMutableRawPointer) {
  let registry = PluginRegistry.from(registry)
  registry.add(albumPolicy: "none", NoAlbums.self, summary: "No albums exist in limited mode (the rule of 2020).")
  registry.add(albumPolicy: "own", OwnAlbums.self, summary: "An app's own albums, and no others (the rule of 2021).")
  registry.add(
    albumPolicy: "shared-read", SharedAlbums.self, options: SharedAlbums.options,
    summary: "An app's own albums, and to read those that the owner shares.")
  registry.add(albumPolicy: "full", AllAlbums.self, summary: "Every album, as full access has it.")
}
