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

  /// What a plugin's file is called.
  package func fileName(_ name: String) -> String {
    switch self {
    case .object: "lib\(name).so"
    case .program: "\(name).plugin"
    }
  }
}
