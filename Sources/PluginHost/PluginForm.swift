/// How a plugin is run.
package enum PluginForm: String, Sendable {
  /// A shared object, loaded by the plugin host.
  case object
  /// A program that speaks `io.photobroker.Plugin` itself.
  case program

  /// The name and the form of a plugin's file by its own name: `libNAME.so` or `NAME.plugin`. Nil for any other file.
  package static func named(_ file: some StringProtocol) -> (name: String, form: Self)? {
    let (name, form): (Substring, Self)
    if file.hasPrefix("lib"), file.hasSuffix(".so") {
      (name, form) = (Substring(file.dropFirst(3).dropLast(3)), .object)
    } else if file.hasSuffix(".plugin") {
      (name, form) = (Substring(file.dropLast(7)), .program)
    } else {
      return nil
    }
    return PluginFinder.isName(String(name)) ? (String(name), form) : nil
  }

  /// What a person's file would be installed as: its name without `lib`, `.so` and `.plugin`, which
  /// need not be there; any other file is taken for a program.
  package static func suggested(by file: some StringProtocol) -> (name: String, form: Self) {
    if file.hasSuffix(".so") {
      let stem = Substring(file.dropLast(3))
      return (String(stem.hasPrefix("lib") ? stem.dropFirst(3) : stem), .object)
    }
    return (String(file.hasSuffix(".plugin") ? Substring(file.dropLast(7)) : Substring(file)), .program)
  }

  /// What a plugin's file is called.
  package func fileName(_ name: String) -> String {
    switch self {
    case .object: "lib\(name).so"
    case .program: "\(name).plugin"
    }
  }
}
