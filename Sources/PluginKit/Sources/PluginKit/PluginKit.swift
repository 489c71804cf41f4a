/// The version of the kit, and what a plugin was built with. Swift has no stable binary interface
/// on Linux, so the broker loads a plugin only where kit and compiler are its own, and otherwise
/// says which ones it met and what to do.
public enum PluginKitVersion {
  /// Raised whenever a protocol or a type of the kit changes. Copied into whoever is compiled with it.
  @_alwaysEmitIntoClient public static var current: Int { 1 }

  /// Kit and compiler of whoever is compiled with this line, as `kit 1, swift 6.3.1`: text that is the same in every
  /// version of Swift, and can be asked for before anything else is called.
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

  /// ``built`` for the C symbol `photobroker_plugin_kit`; lives as long as the plugin is loaded.
  @_alwaysEmitIntoClient public static var symbol: UnsafePointer<CChar> {
    UnsafeRawPointer(built.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Compares what a plugin was built with, as its symbol says, with ourselves.
  /// - Throws: `unsupported`, with both texts and what to do.
  public static func check(_ plugin: String) throws(PluginError) {
    let ours = built.description
    guard plugin != ours else { return }
    let shown = String(plugin.unicodeScalars.prefix(80).map { (0x20..<0x7f).contains($0.value) ? Character($0) : "?" })
    throw PluginError(
      .unsupported, "It was built with \(shown), and this broker with \(ours): \(advice(plugin, ours))")
  }

  /// What to do about two that differ: whoever has the right kit need not look for another.
  private static func advice(_ plugin: String, _ ours: String) -> String {
    func kit(_ built: String) -> Substring { built.prefix { $0 != "," } }
    guard kit(plugin) == kit(ours) else { return "build it again with this broker's kit and compiler." }
    let compiler = ours.dropFirst(kit(ours).utf8.count + 2)
    return
      "the kit is the same; build it again with \(compiler) (\"swift --version\" tells yours), or get a build of it that was made so."
  }
}
