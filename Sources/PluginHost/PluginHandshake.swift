import BrokerInterface
package import PluginKit
package import UnixSocket
import Varlink

/// The handshake with a plugin's process: it reads the description, checks the options against it,
/// and makes the object.
package struct PluginHandshake: Sendable {
  let kind: PluginProtocol
  let name: String
  let settings: PluginSettings

  package init(kind: PluginProtocol, name: String, settings: PluginSettings) {
    self.kind = kind
    self.name = name
    self.settings = settings
  }

  /// - Returns: the capabilities; nil if the plugin does not describe itself, which means all.
  /// - Throws: the reason why the plugin cannot be used.
  package func perform(on connection: BlockingConnection) throws -> Set<StorageCapability>? {
    let entry = try Self.description(on: connection)?.entry(kind, name)
    let settings = try entry.map { try self.settings.checked(for: $0.options) } ?? self.settings
    let folders = settings.folders
    let start = Plugin.Start.Parameters(
      protocol: kind.rawValue, name: name, options: settings.options,
      secrets: settings.secrets.isEmpty ? nil : settings.secrets,
      brokerKit: Int64(PluginKitVersion.current), folders: folders.isEmpty ? nil : folders,
      owner: settings.owner.map(Int64.init))
    let reply = try IsolatedPlugin.exchange(Plugin.Start.self, start, on: connection).get()
    try PluginDescription(kit: Int(clamping: reply.kit), built: nil, entries: []).checkKit()
    return entry?.capabilities
  }

  /// Reads the plugin's description; nil if it has none.
  /// - Throws: `unsupported` for another kit, `failed` for an invalid description.
  static func description(on connection: BlockingConnection) throws -> PluginDescription? {
    let reply: Result<Plugin.Describe.Reply, PluginFailure> = try IsolatedPlugin.exchange(
      Plugin.Describe.self, .init(), acceptsForeignErrors: true, on: connection)
    guard case .success(let reply) = reply else { return nil }
    // First, because another kit's description may not be valid here.
    try PluginDescription(
      kit: Int(clamping: reply.kit), built: reply.built.map { IsolatedPlugin.plain(String($0.prefix(80))) }, entries: []
    ).checkKit()
    return try PluginDescription(checking: reply)
  }
}
