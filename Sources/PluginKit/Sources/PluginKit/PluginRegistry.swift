/// What plugins register themselves in, by protocol and name.
///
/// A shared object exports two C functions. `photobroker_plugin_kit` says what it was built with, and is asked before anything
/// else; `photobroker_plugin_register` gets this registry as an opaque pointer:
///
///     @_cdecl("photobroker_plugin_kit") public func kit() -> UnsafePointer<CChar> { PluginKitVersion.symbol }
///     @_cdecl("photobroker_plugin_register") public func register(_ registry: UnsafeMutableRawPointer) {
///       PluginRegistry.from(registry).add(storage: "directory", MyBackend.self, options: [...], summary: "...")
///     }
public final class PluginRegistry {
  public struct Storage {
    public var options: [PluginOption]
    public var capabilities: Set<StorageCapability>
    public var summary: String
    let type: any StorageBackend.Type
  }

  public struct Policy {
    public var options: [PluginOption]
    public var summary: String
    let type: any AlbumPolicy.Type
  }

  public struct Mapping {
    public var options: [PluginOption]
    public var summary: String
    let type: any CloudMapping.Type
  }

  public private(set) var storages: [String: Storage] = [:]
  public private(set) var policies: [String: Policy] = [:]
  public private(set) var mappings: [String: Mapping] = [:]
  /// Names that were registered twice; a host refuses to go on with them.
  public private(set) var conflicts: [String] = []

  public init() {}

  /// For `photobroker_plugin_register`.
  public static func from(_ pointer: UnsafeMutableRawPointer) -> PluginRegistry {
    Unmanaged<PluginRegistry>.fromOpaque(pointer).takeUnretainedValue()
  }

  public var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// - Parameter capabilities: What the broker may ask for beside looking.
  /// - Parameter summary: One sentence, in English, of what it is: for people.
  public func add(
    storage name: String, _ type: any StorageBackend.Type, options: [PluginOption] = [],
    capabilities: Set<StorageCapability> = Set(StorageCapability.allCases), summary: String
  ) {
    guard storages[name] == nil else { return conflicts.append("storage \(name)") }
    storages[name] = Storage(options: options, capabilities: capabilities, summary: summary, type: type)
  }

  public func add(
    albumPolicy name: String, _ type: any AlbumPolicy.Type, options: [PluginOption] = [], summary: String
  ) {
    guard policies[name] == nil else { return conflicts.append("album policy \(name)") }
    policies[name] = Policy(options: options, summary: summary, type: type)
  }

  public func add(
    cloudMapping name: String, _ type: any CloudMapping.Type, options: [PluginOption] = [], summary: String
  ) {
    guard mappings[name] == nil else { return conflicts.append("cloud mapping \(name)") }
    mappings[name] = Mapping(options: options, summary: summary, type: type)
  }

  /// How many names are registered, of all protocols.
  public var count: Int { storages.count + policies.count + mappings.count }

  /// - Throws: `unsupported` where nobody registered that name; `invalidOption`.
  public func makeStorage(
    _ name: String, options: [String: String], secrets: [String: String] = [:]
  ) throws(PluginError) -> any StorageBackend {
    guard let entry = storages[name] else { throw PluginError(.unsupported, "No storage is called \"\(name)\" here.") }
    return try entry.type.init(options: PluginOptions(options, secrets: secrets, for: entry.options))
  }

  /// - Throws: `unsupported` where nobody registered that name; `invalidOption`.
  public func makePolicy(
    _ name: String, options: [String: String], secrets: [String: String] = [:]
  ) throws(PluginError) -> any AlbumPolicy {
    guard let entry = policies[name] else { throw PluginError(.unsupported, "No album policy is called \"\(name)\" here.") }
    return try entry.type.init(options: PluginOptions(options, secrets: secrets, for: entry.options))
  }

  /// - Throws: `unsupported` where nobody registered that name; `invalidOption`.
  public func makeMapping(
    _ name: String, options: [String: String], secrets: [String: String] = [:]
  ) throws(PluginError) -> any CloudMapping {
    guard let entry = mappings[name] else { throw PluginError(.unsupported, "No cloud mapping is called \"\(name)\" here.") }
    return try entry.type.init(options: PluginOptions(options, secrets: secrets, for: entry.options))
  }
}
