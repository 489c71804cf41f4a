/// The version of the kit, and the build of a plugin. Swift has no stable ABI on Linux, so the
/// broker loads a plugin only if it was built with the broker's own kit and compiler.
public enum PluginKitVersion {
  /// The version, raised with each change of a protocol or type. It is inlined into plugins.
  @_alwaysEmitIntoClient public static var current: Int { 1 }

  /// Kit and compiler of the code that uses this property, such as `kit 1, swift 6.3.1`. The broker
  /// can read this text before it depends on the ABI.
  @_alwaysEmitIntoClient public static var built: StaticString {
    #if compiler(>=6.5)
      "kit 1, swift 6.5 or later"
    #elseif compiler(>=6.4)
      "kit 1, swift 6.4"
    #elseif compiler(>=6.3.3)
      "kit 1, swift 6.3.3 or later"
    #elseif compiler(>=6.3.2)
      "kit 1, swift 6.3.2"
    #elseif compiler(>=6.3.1)
      "kit 1, swift 6.3.1"
    #elseif compiler(>=6.3)
      "kit 1, swift 6.3"
    #else
      "kit 1, swift 6.2 or earlier"
    #endif
  }

  /// ``built`` as a C string for `photobroker_plugin_kit`; valid while the plugin is loaded.
  @_alwaysEmitIntoClient public static var symbol: UnsafePointer<CChar> {
    UnsafeRawPointer(built.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Compares a plugin's build with the broker's.
  /// - Throws: `unsupported`, with both texts and a way to fix it.
  public static func check(_ plugin: String) throws(PluginError) {
    let ours = built.description
    guard plugin != ours else { return }
    let shown = String(plugin.unicodeScalars.prefix(80).map { (0x20..<0x7f).contains($0.value) ? Character($0) : "?" })
    throw PluginError(
      .unsupported, "It was built with \(shown), and this broker with \(ours). \(advice(plugin, ours))")
  }

  /// A plugin with the right kit needs another compiler alone, and the message says so.
  private static func advice(_ plugin: String, _ ours: String) -> String {
    func kit(_ built: String) -> Substring { built.prefix { $0 != "," } }
    guard kit(plugin) == kit(ours) else { return "Build it again with this broker's kit and compiler." }
    let compiler = ours.dropFirst(kit(ours).utf8.count + 2)
    return
      "The kit is the same. Build it again with \(compiler) (see swift --version), or get a build made with it."
  }
}
