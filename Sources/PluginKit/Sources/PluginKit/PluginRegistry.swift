/// The plugins of one shared object, by protocol and name.
///
/// A shared object exports two C functions. The broker first calls `photobroker_plugin_kit`, which
/// returns the plugin's build. Then `photobroker_plugin_register` receives this registry as an
/// opaque pointer:
///
///     @_cdecl("photobroker_plugin_kit") public func kit() -> UnsafePointer<CChar> { PluginKitVersion.symbol }
///     @_cdecl("photobroker_plugin_register") public func register(_ registry: UnsafeMutableRawPointer) {
///       PluginRegistry.from(registry).add(storage: "directory", MyBackend.self, options: [...], summary: "...")
///     }
public final class PluginRegistry {
  /// A registered storage.
  public struct Storage {
    /// The options of a library on this storage.
    public var options: [PluginOption]
    /// The calls that the storage supports beside listing.
    public var capabilities: Set<StorageCapability>
    /// A description: one English sentence for people.
    public var summary: String
    let type: any StorageBackend.Type
  }

  /// A registered album policy.
  public struct Policy {
    /// The options of the policy.
    public var options: [PluginOption]
    /// A description: one English sentence for people.
    public var summary: String
    let type: any AlbumPolicy.Type
  }

  /// A registered cloud mapping.
  public struct Mapping {
    /// The options of the mapping.
    public var options: [PluginOption]
    /// A description: one English sentence for people.
    public var summary: String
    let type: any CloudMapping.Type
  }

  public private(set) var storages: [String: Storage] = [:]
  public private(set) var policies: [String: Policy] = [:]
  public private(set) var mappings: [String: Mapping] = [:]
  /// Names that were registered twice. A host refuses such a shared object.
  public private(set) var conflicts: [String] = []

  /// Creates an empty registry; a host makes one for each shared object.
  public init() {}

  /// Returns the registry behind the pointer that `photobroker_plugin_register` receives.
  public static func from(_ pointer: UnsafeMutableRawPointer) -> PluginRegistry {
    Unmanaged<PluginRegistry>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// The pointer for `photobroker_plugin_register`; valid while the registry is held.
  public var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Registers a storage. A name that is taken is added to `conflicts`, and the plugin is refused.
  /// - Parameters:
  ///   - name: the backend's name in a library's settings: 1 to 64 of a-z, 0-9 and hyphen. A shared
  ///     object registers at most 64 names of all three kinds.
  ///   - options: at most 64. The broker checks values against them before it makes an object.
  ///   - capabilities: the calls that the storage supports beside listing.
  ///   - summary: a description: one English sentence for people.
  public func add(
    storage name: String, _ type: any StorageBackend.Type, options: [PluginOption] = [],
    capabilities: Set<StorageCapability> = StorageCapability.usual, summary: String
  ) {
    guard storages[name] == nil else { return conflicts.append("storage \(name)") }
    storages[name] = Storage(options: options, capabilities: capabilities, summary: summary, type: type)
  }

  /// Registers an album policy. Name, options and summary are as for a storage.
  public func add(
    albumPolicy name: String, _ type: any AlbumPolicy.Type, options: [PluginOption] = [], summary: String
  ) {
    guard policies[name] == nil else { return conflicts.append("album policy \(name)") }
    policies[name] = Policy(options: options, summary: summary, type: type)
  }

  /// Registers a cloud mapping. Name, options and summary are as for a storage.
  public func add(
    cloudMapping name: String, _ type: any CloudMapping.Type, options: [PluginOption] = [], summary: String
  ) {
    guard mappings[name] == nil else { return conflicts.append("cloud mapping \(name)") }
    mappings[name] = Mapping(options: options, summary: summary, type: type)
  }

  /// Number of registered names of all three kinds.
  public var count: Int { storages.count + policies.count + mappings.count }

  /// Makes a storage.
  /// - Parameters:
  ///   - folders: the folder identities, as in ``PluginOptions``.
  ///   - owner: the library's user, as in ``PluginOptions``.
  /// - Throws: `unsupported` for an unknown name; `invalidOption`.
  public func makeStorage(
    _ name: String, options: [String: String], secrets: [String: String] = [:], folders: [String: String] = [:],
    owner: UInt32? = nil
  ) throws(PluginError) -> any StorageBackend {
    guard let entry = storages[name] else { throw PluginError(.unsupported, "There is no storage \"\(name)\" here.") }
    return try entry.type.init(
      options: PluginOptions(options, secrets: secrets, folders: folders, owner: owner, for: entry.options))
  }

  /// Makes an album policy.
  /// - Throws: `unsupported` for an unknown name; `invalidOption`.
  public func makePolicy(
    _ name: String, options: [String: String], secrets: [String: String] = [:]
  ) throws(PluginError) -> any AlbumPolicy {
    guard let entry = policies[name] else {
      throw PluginError(.unsupported, "There is no album policy \"\(name)\" here.")
    }
    return try entry.type.init(options: PluginOptions(options, secrets: secrets, for: entry.options))
  }

  /// Makes a cloud mapping.
  /// - Throws: `unsupported` for an unknown name; `invalidOption`.
  public func makeMapping(
    _ name: String, options: [String: String], secrets: [String: String] = [:]
  ) throws(PluginError) -> any CloudMapping {
    guard let entry = mappings[name] else {
      throw PluginError(.unsupported, "There is no cloud mapping \"\(name)\" here.")
    }
    return try entry.type.init(options: PluginOptions(options, secrets: secrets, for: entry.options))
  }
}
