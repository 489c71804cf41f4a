/// The values of a plugin's options, checked against its list of options.
public struct PluginOptions: Sendable {
  private var values: [String: String]
  private let folders: [String: FolderIdentity]
  /// The library's user, for a storage in a folder that is not this user's own. Nil: the folder is
  /// the owner's, or the owner is unknown.
  ///
  /// Other users' libraries may share such a folder. So added files go to a ``SavedFolder``, and
  /// trashed files to a trash of this user alone.
  public let owner: UInt32?

  /// Checks values against a plugin's options and fills in defaults.
  /// - Parameters:
  ///   - secrets: the values of secret options.
  ///   - folders: the folder identities for ``folder(_:)``, in text form.
  ///   - owner: the library's user, see ``owner``.
  /// - Throws: `invalidOption`, with the option's name and its allowed values, never with a value.
  public init(
    _ given: [String: String], secrets: [String: String] = [:], folders: [String: String] = [:], owner: UInt32? = nil,
    for options: [PluginOption]
  ) throws(PluginError) {
    values = [:]
    self.owner = owner
    self.folders = folders.mapValues { FolderIdentity($0) ?? .none }
    for name in (Array(given.keys) + Array(secrets.keys)).sorted() where !options.contains(where: { $0.name == name }) {
      let known = options.map(\.name).joined(separator: ", ")
      throw PluginError(
        .invalidOption, "There is no option \"\(name)\". The options: \(known.isEmpty ? "none" : known).")
    }
    for option in options {
      if option.isSecret, given[option.name] != nil {
        throw PluginError(
          .invalidOption,
          "Option \"\(option.name)\" is a secret. Give it as a credential, which is kept in a file of its own.")
      }
      if !option.isSecret, secrets[option.name] != nil {
        throw PluginError(
          .invalidOption, "Option \"\(option.name)\" is not a secret. Give it as an option, not as a credential.")
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
  /// The folder at an option's path when the storage was opened; ``FolderIdentity/none`` if there
  /// was none, nil if any folder is allowed, as in a trial of the plugin.
  ///
  /// The broker checked the owner of this folder. If the path later leads to another folder, also
  /// by a link, that folder is not the library's, and calls throw `offline`. The broker watches for
  /// such a change itself, and then makes a new object.
  public func folder(_ name: String) -> FolderIdentity? { folders[name] }
  /// The value of an `integer` option, within its range.
  public func integer(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
  /// The value of a `flag` option.
  public func flag(_ name: String) -> Bool { values[name] == "true" }
}
