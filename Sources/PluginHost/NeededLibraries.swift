import Glibc
import PluginKit

/// The libraries on which a plugin may depend: the kit, the Swift runtime, and libraries in the
/// system's folders. A library in a folder of the plugin's choice could be replaced after the
/// plugin was checked.
enum NeededLibraries {
  private static let kit = "libPluginKit.so"
  private static let runtime = ["libswift", "libFoundation", "lib_Foundation", "libdispatch.so", "libBlocksRuntime.so"]
  #if arch(arm64)
    private static let triplet = "aarch64-linux-gnu"
  #else
    private static let triplet = "x86_64-linux-gnu"
  #endif
  private static let folders = ["/lib/\(triplet)", "/usr/lib/\(triplet)", "/lib64", "/usr/lib64", "/lib", "/usr/lib"]

  /// Loads the libraries from the system's folders, so that the loader does not search the plugin's
  /// own path.
  /// - Throws: `unsupported`, naming the library.
  static func load(_ names: [String]) throws(PluginFailure) {
    for name in names where name != kit && !runtime.contains(where: { name.hasPrefix($0) }) {
      let shown = IsolatedPlugin.plain(name)
      guard !name.utf8.contains(UInt8(ascii: "/")),
        let folder = folders.first(where: { access("\($0)/\(name)", R_OK) == 0 })
      else {
        throw SharedObjectFile.refusal(
          """
          it needs \(shown), which is not in the kit, the Swift runtime or this system's library folders: link it \
          statically, or install its package
          """
        )
      }
      guard dlopen("\(folder)/\(name)", RTLD_NOW | RTLD_LOCAL) != nil else {
        let reason = dlerror().map { String(cString: $0) } ?? "no reason given"
        throw SharedObjectFile.refusal("it needs \(shown), which cannot be loaded (\(reason))")
      }
    }
  }
}
