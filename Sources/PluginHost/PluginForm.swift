/// The form of a plugin's file.
package enum PluginForm: String, Sendable, CaseIterable {
  /// A shared object, loaded by the plugin host.
  case object
  /// A program that speaks `io.photobroker.Plugin` itself.
  case program

  /// Parses the name of a plugin's file: `libNAME.so` or `NAME.plugin`. Nil for any other file.
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

  /// The installed name and form for a person's file: its name without `lib`, `.so` and `.plugin`.
  /// A file without these endings counts as a program.
  package static func suggested(by file: some StringProtocol) -> (name: String, form: Self) {
    if file.hasSuffix(".so") {
      let stem = Substring(file.dropLast(3))
      return (String(stem.hasPrefix("lib") ? stem.dropFirst(3) : stem), .object)
    }
    return (String(file.hasSuffix(".plugin") ? Substring(file.dropLast(7)) : Substring(file)), .program)
  }

  package func fileName(_ name: String) -> String {
    switch self {
    case .object: "lib\(name).so"
    case .program: "\(name).plugin"
    }
  }
}
