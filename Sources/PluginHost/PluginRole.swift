/// What a plugin offers under one name. No two plugins offer the same.
package struct PluginRole: Hashable, Sendable, CustomStringConvertible {
  package let kind: PluginProtocol
  package let name: String

  package init(_ kind: PluginProtocol, _ name: String) { (self.kind, self.name) = (kind, name) }

  package var description: String { "\(kind.words) \"\(name)\"" }
}

extension PluginDescription {
  package var roles: [PluginRole] { entries.map { PluginRole($0.kind, $0.name) } }
}
