import BrokerInterface
package import PluginKit
package import UnixSocket
import Varlink

/// How a plugin's process is greeted: what it is and was built with, its options checked against
/// its own list, its object made.
package struct PluginHandshake: Sendable {
  let kind: PluginProtocol
  let name: String
  let settings: PluginSettings

  package init(kind: PluginProtocol, name: String, settings: PluginSettings) {
    self.kind = kind
    self.name = name
    self.settings = settings
  }

  /// - Returns: what it may be asked for. Nil: it did not say, so everything.
  /// - Throws: what keeps it from being used.
  package func perform(on connection: BlockingConnection) throws -> Set<StorageCapability>? {
    let entry = try Self.description(on: connection)?.entry(kind, name)
    let settings = try entry.map { try self.settings.checked(for: $0.options) } ?? self.settings
    let folders = settings.folders
    let start = Plugin.Start.Parameters(
      protocol: kind.rawValue, name: name, options: settings.options,
      secrets: settings.secrets.isEmpty ? nil : settings.secrets,
      brokerKit: Int64(PluginKitVersion.current), folders: folders.isEmpty ? nil : folders,
      owner: settings.owner.map(Int64.init))
    let reply: Plugin.Start.Reply = try IsolatedPlugin.exchange(Plugin.Start.name, start, on: connection).get()
    try PluginDescription(kit: Int(clamping: reply.kit), built: nil, entries: []).checkKit()
    return entry?.capabilities
  }

  /// What the plugin says of itself. Nil: it does not.
  /// - Throws: a plugin of another kit, or one that says what makes no sense.
  static func description(on connection: BlockingConnection) throws -> PluginDescription? {
    let reply: Result<Plugin.Describe.Reply, PluginFailure> = try IsolatedPlugin.exchange(
      Plugin.Describe.name, Plugin.Describe.Parameters(), acceptsForeignErrors: true, on: connection)
    guard case .success(let reply) = reply else { return nil }
    // First: what another kit says may make no sense here.
    try PluginDescription(
      kit: Int(clamping: reply.kit), built: reply.built.map { IsolatedPlugin.plain(String($0.prefix(80))) }, entries: []
    ).checkKit()
    return try PluginDescription(checking: reply)
  }
}
