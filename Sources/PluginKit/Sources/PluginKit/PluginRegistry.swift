/// What plugins register themselves in, by protocol and name.
///
/// A shared object exports two C functions. `photobroker_plugin_kit` says what it was built with,
/// and is asked before anything else; `photobroker_plugin_register` gets this registry as an opaque
/// pointer:
///
///     @_cdecl("photobroker_plugin_kit") public func kit() -> UnsafePointer<CChar> { PluginKitVersion.symbol }
///     @_cdecl("photobroker_plugin_register") public func register(_ registry: UnsafeMutableRawPointer) {
///       PluginRegistry.from(registry).add(storage: "directory", MyBackend.self, options: [...], summary: "...")
///     }
public final class PluginRegistry {
  /// A storage backend as it was registered.
  public struct Storage {
    /// What can be set for a library on it.
    public var options: [PluginOption]
    /// What the broker may ask for beside looking.
    public var capabilities: Set<StorageCapability>
    /// What it is: one sentence, in English, for people.
    public var summary: String
    let type: any StorageBackend.Type
  }

  /// An album policy as it was registered.
  public struct Policy {
    /// What can be set where it is chosen.
    public var options: [PluginOption]
    /// What it is: one sentence, in English, for people.
    public var summary: String
    let type: any AlbumPolicy.Type
  }

  /// A mapping of cloud identifiers as it was registered.
  public struct Mapping {
    /// What can be set for a library that uses it.
    public var options: [PluginOption]
    /// What it is: one sentence, in English, for people.
    public var summary: String
    let type: any CloudMapping.Type
  }

  /// By their names.
  public private(set) var storages: [String: Storage] = [:]
  public private(set) var policies: [String: Policy] = [:]
  public private(set) var mappings: [String: Mapping] = [:]
  /// Names that were registered twice; a host refuses to go on with them.
  public private(set) var conflicts: [String] = []

  /// Registers nothing yet; a host makes one for each shared object.
  public init() {}

  /// The registry that a host hands over. For `photobroker_plugin_register`.
  public static func from(_ pointer: UnsafeMutableRawPointer) -> PluginRegistry {
    Unmanaged<PluginRegistry>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// What a host hands over; good for as long as the registry is held.
  public var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Registers a storage backend. A name that is registered already is noted among `conflicts`, and
  /// the plugin is refused.
  /// - Parameters:
  ///   - name: What libraries name as their backend: 1 to 64 of a-z, 0-9 and hyphen. All three
  ///     kinds together have at most 64.
  ///   - options: At most 64; the broker checks what it is given against them before an object is
  ///     made.
  ///   - capabilities: What the broker may ask for beside looking.
  ///   - summary: What it is: one sentence, in English, for people.
  public func add(
    storage name: String, _ type: any StorageBackend.Type, options: [PluginOption] = [],
    capabilities: Set<StorageCapability> = StorageCapability.usual, summary: String
  ) {
    guard storages[name] == nil else { return conflicts.append("storage \(name)") }
    storages[name] = Storage(options: options, capabilities: capabilities, summary: summary, type: type)
  }

  /// Registers an album policy; names, options and the summary as for a storage backend.
  public func add(
    albumPolicy name: String, _ type: any AlbumPolicy.Type, options: [PluginOption] = [], summary: String
  ) {
    guard policies[name] == nil else { return conflicts.append("album policy \(name)") }
    policies[name] = Policy(options: options, summary: summary, type: type)
  }

  /// Registers a mapping of cloud identifiers; names, options and the summary as for a storage backend.
  public func add(
    cloudMapping name: String, _ type: any CloudMapping.Type, options: [PluginOption] = [], summary: String
  ) {
    guard mappings[name] == nil else { return conflicts.append("cloud mapping \(name)") }
    mappings[name] = Mapping(options: options, summary: summary, type: type)
  }

  /// How many names are registered, of all protocols.
  public var count: Int { storages.count + policies.count + mappings.count }

  /// - Parameters:
  ///   - folders: Which folders options name, as ``PluginOptions`` take them.
  ///   - owner: Whose library it is, as these take it.
  /// - Throws: `unsupported` where nobody registered that name; `invalidOption`.
  public func makeStorage(
    _ name: String, options: [String: String], secrets: [String: String] = [:], folders: [String: String] = [:],
    owner: UInt32? = nil
  ) throws(PluginError) -> any StorageBackend {
    guard let entry = storages[name] else { throw PluginError(.unsupported, "No storage is called \"\(name)\" here.") }
    return try entry.type.init(
      options: PluginOptions(options, secrets: secrets, folders: folders, owner: owner, for: entry.options))
  }

  /// - Throws: `unsupported` where nobody registered that name; `invalidOption`.
  public func makePolicy(
    _ name: String, options: [String: String], secrets: [String: String] = [:]
  ) throws(PluginError) -> any AlbumPolicy {
    guard let entry = policies[name] else {
      throw PluginError(.unsupported, "No album policy is called \"\(name)\" here.")
    }
    return try entry.type.init(options: PluginOptions(options, secrets: secrets, for: entry.options))
  }

  /// - Throws: `unsupported` where nobody registered that name; `invalidOption`.
  public func makeMapping(
    _ name: String, options: [String: String], secrets: [String: String] = [:]
  ) throws(PluginError) -> any CloudMapping {
    guard let entry = mappings[name] else {
      throw PluginError(.unsupported, "No cloud mapping is called \"\(name)\" here.")
    }
    return try entry.type.init(options: PluginOptions(options, secrets: secrets, for: entry.options))
  }
}
