import ContentMapping
import PluginKit

@_cdecl("photobroker_plugin_kit")
public func photobrokerPluginKit() -> UnsafePointer<CChar> { PluginKitVersion.symbol }

@_cdecl("photobroker_plugin_register")
public func photobrokerPluginRegister(_ registry: UnsafeMutableRawPointer) {
  PluginRegistry.from(registry).add(
    cloudMapping: "content", ContentMapping.self,
    summary: "Names photos by their content and albums by title and day; no account, no network.")
}
