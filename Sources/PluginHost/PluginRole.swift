/// A name that a plugin registers for one protocol. No two plugins register the same role.
package struct PluginRole: Hashable, Sendable, CustomStringConvertible {
  package let kind: PluginProtocol
  package let name: String

  package init(_ kind: PluginProtocol, _ name: String) { (self.kind, self.name) = (kind, name) }

  package var description: String { "\(kind.words) \"\(name)\"" }
}

extension PluginDescription {
  package var roles: [PluginRole] { entries.map { PluginRole($0.kind, $0.name) } }
}
