import PluginKit
import RcloneStorage

@_cdecl("photobroker_plugin_kit")
public func photobrokerPluginKit() -> UnsafePointer<CChar> { PluginKitVersion.symbol }

@_cdecl("photobroker_plugin_register")
public func photobrokerPluginRegister(_ registry: UnsafeMutableRawPointer) {
  PluginRegistry.from(registry).add(
    storage: "rclone", RcloneStorage.self, options: RcloneStorage.options,
    summary: "Photos on a remote that rclone reaches.")
}
