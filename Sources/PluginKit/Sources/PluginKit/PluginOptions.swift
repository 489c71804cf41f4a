/// A plugin's options after they were checked against its list.
public struct PluginOptions: Sendable {
  private var values: [String: String]
  private let folders: [String: FolderIdentity]
  /// Of a storage in a folder that is not its owner's, the user whose library it is: other users'
  /// may lie there as well, so what is added goes to a ``SavedFolder``, and what is trashed to
  /// where the others' trash is not. Nil: it is the owner's, or nobody says.
  public let owner: UInt32?

  /// Checks values against a plugin's options and fills in defaults.
  /// - Parameters:
  ///   - secrets: Values of secret options, which are given apart.
  ///   - folders: Which folders options name, see ``folder(_:)``, as programs of other languages are told it.
  ///   - owner: See ``owner``.
  /// - Throws: `invalidOption`, naming the option and what is allowed, and never a value.
  public init(
    _ given: [String: String], secrets: [String: String] = [:], folders: [String: String] = [:], owner: UInt32? = nil,
    for options: [PluginOption]
  ) throws(PluginError) {
    values = [:]
    self.owner = owner
    self.folders = folders.mapValues { FolderIdentity($0) ?? .none }
    for name in (Array(given.keys) + Array(secrets.keys)).sorted() where !options.contains(where: { $0.name == name }) {
      let known = options.map(\.name).joined(separator: ", ")
      throw PluginError(.invalidOption, "There is no option \"\(name)\"; there are: \(known.isEmpty ? "none" : known).")
    }
    for option in options {
      if option.isSecret, given[option.name] != nil {
        throw PluginError(
          .invalidOption,
          "Option \"\(option.name)\" is a secret: give it as a credential, which is kept in a file of its own.")
      }
      if !option.isSecret, secrets[option.name] != nil {
        throw PluginError(
          .invalidOption, "Option \"\(option.name)\" is no secret: give it as an option, not as a credential.")
      }
      guard let value = given[option.name] ?? secrets[option.name] ?? option.defaultValue else {
        if option.isOptional { continue }
        let way = option.isSecret ? " as a credential" : ""
        throw PluginError(
          .invalidOption, "Option \"\(option.name)\" must be given\(way): \(option.allowed). \(option.summary)")
      }
      guard option.allows(value) else {
        throw PluginError(.invalidOption, "Option \"\(option.name)\" must be \(option.allowed).")
      }
      values[option.name] = value
    }
  }

  public subscript(_ name: String) -> String? { values[name] }
  /// Which folder the path in an option led to when the storage was opened, ``FolderIdentity/none``
  /// where there was none. The broker has checked whose that one is; whatever else the path leads
  /// to later, also by a link on the way, is not the library's, and the answer is `offline`. The
  /// broker looks itself whether another one has come, and makes the object anew. Nil: it may be
  /// any, as where a plugin is tried out.
  public func folder(_ name: String) -> FolderIdentity? { folders[name] }
  /// For an `integer` option, within its range.
  public func integer(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
  /// For a `flag` option.
  public func flag(_ name: String) -> Bool { values[name] == "true" }
}
