/// A plugin's options after they were checked against its list.
public struct PluginOptions: Sendable {
  private var values: [String: String]

  /// Checks values against a plugin's options and fills in defaults.
  /// - Throws: `invalidOption`, naming the option and what is allowed.
  public init(_ given: [String: String], for options: [PluginOption]) throws(PluginError) {
    values = [:]
    for name in given.keys.sorted() where !options.contains(where: { $0.name == name }) {
      let known = options.map(\.name).joined(separator: ", ")
      throw PluginError(.invalidOption, "There is no option \"\(name)\"; there are: \(known.isEmpty ? "none" : known).")
    }
    for option in options {
      guard let value = given[option.name] ?? option.defaultValue else {
        if option.isOptional { continue }
        throw PluginError(.invalidOption, "Option \"\(option.name)\" must be given: \(option.allowed). \(option.summary)")
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
