import DirectoryStorage
import PluginKit

@_cdecl("photobroker_plugin_kit")
public func photobrokerPluginKit() -> UnsafePointer<CChar> { PluginKitVersion.symbol }

@_cdecl("photobroker_plugin_register")
public func photobrokerPluginRegister(_ registry: UnsafeMutableRawPointer) {
  PluginRegistry.from(registry).add(
    storage: "directory", DirectoryStorage.self, options: DirectoryStorage.options,
    capabilities: Set(StorageCapability.allCases),
    summary: "Photos in a folder of this machine, watched for changes.")
}
