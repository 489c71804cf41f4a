import Glibc
package import PluginKit

/// A plugin's shared object in this process: the plugin host, or the daemon if an administrator
/// trusts the plugin. It stays loaded, because Swift code cannot be unloaded.
package enum PluginObject {
  /// Loads a shared object and lets it register its plugins.
  /// - Throws: `unsupported`, for a missing file, a file that is no plugin for this machine,
  ///   another kit or compiler, taken names, or no registrations.
  package static func load(_ path: String, into registry: PluginRegistry = PluginRegistry()) throws(PluginFailure)
    -> PluginRegistry
  {
    try NeededLibraries.load(SharedObjectFile.check(path))
    // RTLD_NOW, so that a missing symbol fails here and not during a call.
    guard let object = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      let reason = dlerror().map { String(cString: $0) } ?? "no reason given"
      throw PluginFailure(
        .unsupported,
        "The plugin cannot be loaded: \(reason). If a symbol is missing, build it with this broker's kit and compiler."
      )
    }
    guard let kit = dlsym(object, "photobroker_plugin_kit"), let register = dlsym(object, "photobroker_plugin_register")
    else {
      throw PluginFailure(
        .unsupported,
        """
        This shared object is not a PhotoBroker plugin: it lacks photobroker_plugin_kit or \
        photobroker_plugin_register.
        """
      )
    }
    let built = unsafeBitCast(kit, to: (@convention(c) () -> UnsafePointer<CChar>?).self)()
    do { try PluginKitVersion.check(built.map { String(cString: $0) } ?? "an unknown kit") } catch {
      throw PluginFailure(error)
    }
    let before = registry.count
    unsafeBitCast(register, to: (@convention(c) (UnsafeMutableRawPointer) -> Void).self)(registry.pointer)
    guard registry.conflicts.isEmpty else {
      throw PluginFailure(
        .unsupported, "The plugin registers a name that is taken: \(registry.conflicts.joined(separator: ", ")).")
    }
    guard registry.count > before else {
      throw PluginFailure(.unsupported, "The plugin registers nothing.")
    }
    return registry
  }
}
