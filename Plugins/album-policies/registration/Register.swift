import AlbumPolicies
import PluginKit

@_cdecl("photobroker_plugin_kit")
public func photobrokerPluginKit() -> UnsafePointer<CChar> { PluginKitVersion.symbol }

@_cdecl("photobroker_plugin_register")
public func photobrokerPluginRegister(_ registry: UnsafeMutableRawPointer) {
  let registry = PluginRegistry.from(registry)
  registry.add(albumPolicy: "none", NoAlbums.self, summary: "No albums in limited mode, as in 2020.")
  registry.add(albumPolicy: "own", OwnAlbums.self, summary: "An app's own albums alone, as in 2021.")
  registry.add(
    albumPolicy: "shared-read", SharedAlbums.self, options: SharedAlbums.options,
    summary: "An app's own albums, and read access to albums that the owner shares.")
  registry.add(albumPolicy: "full", AllAlbums.self, summary: "Every album, as with full access.")
}
