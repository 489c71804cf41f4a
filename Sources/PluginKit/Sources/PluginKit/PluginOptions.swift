/// A plugin's options after they were checked against its list.
public struct PluginOptions: Sendable {
  private var values: [String: String]

  /// Checks values against a plugin's options and fills in defaults.
  /// - Parameter secrets: Values of secret options, which are given apart.
  /// - Throws: `invalidOption`, naming the option and what is allowed, and never a value.
  public init(
    _ given: [String: String], secrets: [String: String] = [:], for options: [PluginOption]
  ) throws(PluginError) {
    values = [:]
    for name in (Array(given.keys) + Array(secrets.keys)).sorted() where !options.contains(where: { $0.name == name }) {
      let known = options.map(\.name).joined(separator: ", ")
      throw PluginError(.invalidOption, "There is no option \"\(name)\"; there are: \(known.isEmpty ? "none" : known).")
    }
    for option in options {
      if option.isSecret, given[option.name] != nil {
        throw PluginError(
          .invalidOption, "Option \"\(option.name)\" is a secret: give it as a credential, which is kept in a file of its own.")
      }
      if !option.isSecret, secrets[option.name] != nil {
        throw PluginError(.invalidOption, "Option \"\(option.name)\" is no secret: give it as an option, not as a credential.")
      }
      guard let value = given[option.name] ?? secrets[option.name] ?? option.defaultValue else {
        if option.isOptional { continue }
        let way = option.isSecret ? " as a credential" : ""
        throw PluginError(.invalidOption, "Option \"\(option.name)\" must be given\(way): \(option.allowed). \(option.summary)")
      }
      guard option.allows(value) else {
        throw PluginError(.invalidOption, "Option \"\(option.name)\" must be \(option.allowed).")
      }
      values[option.name] = value
    }
  }

  public subscript(_ name: String) -> String? { values[name] }
  /// For an `integer` option, within its range.
  public func integer(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
  /// For a `flag` option.
  public func flag(_ name: String) -> Bool { values[name] == "true" }
}
