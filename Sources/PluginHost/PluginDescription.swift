package import PluginKit

/// A plugin's checked description of itself, from its handshake.
package struct PluginDescription: Sendable, Equatable {
  package struct Entry: Sendable, Equatable {
    package var kind: PluginProtocol
    package var name: String
    /// One sentence for people.
    package var summary: String
    package var options: [PluginOption]
    /// A storage's capabilities, without those that this broker does not know.
    package var capabilities: Set<StorageCapability>
  }

  /// The version of its kit.
  package var kit: Int
  /// Kit and compiler of a shared object, in words. Nil for a program in another language.
  package var built: String?
  /// Sorted by protocol and name.
  package var entries: [Entry]

  /// Describes a shared object that this process loaded.
  package init(_ registry: PluginRegistry) {
    kit = PluginKitVersion.current
    built = PluginKitVersion.built.description
    let storages = registry.storages.map {
      Entry(kind: .storage, name: $0, summary: $1.summary, options: $1.options, capabilities: $1.capabilities)
    }
    let policies = registry.policies.map {
      Entry(kind: .albumPolicy, name: $0, summary: $1.summary, options: $1.options, capabilities: [])
    }
    let mappings = registry.mappings.map {
      Entry(kind: .cloudMapping, name: $0, summary: $1.summary, options: $1.options, capabilities: [])
    }
    entries = (storages + policies + mappings).sorted { ($0.kind.rawValue, $0.name) < ($1.kind.rawValue, $1.name) }
  }

  init(kit: Int, built: String?, entries: [Entry]) {
    self.kit = kit
    self.built = built
    self.entries = entries
  }

  /// The error for a plugin without a description, which cannot be installed.
  package static let missing = PluginFailure(
    .unsupported,
    "It does not describe itself. Answer Describe of io.photobroker.Plugin with the names that it registers.")

  /// - Throws: `unsupported` for another kit version, with a fix.
  package func checkKit() throws(PluginFailure) {
    guard kit != PluginKitVersion.current else { return }
    let words = built.map { " (\($0))" } ?? ""
    throw PluginFailure(
      .unsupported,
      """
      It was built with kit \(kit)\(words), but this broker has kit \(PluginKitVersion.current) \
      (\(PluginKitVersion.built)). Build it again with this broker's kit, or get its release for this broker.
      """
    )
  }

  /// Checks rules that the plugin host does not know: valid defaults, and secrets for storages
  /// alone.
  /// - Throws: `failed`, with the option's name and its allowed values.
  package func checkOptions() throws(PluginFailure) {
    for entry in entries {
      for option in entry.options {
        let subject = "The option \"\(option.name)\" of the \(entry.kind.words) \"\(entry.name)\""
        // Only storages have credentials. Any other secret would be set as an option, which
        // everybody is shown.
        guard !option.isSecret || entry.kind == .storage else {
          throw PluginFailure(.failed, "\(subject) is a secret, and only storages have credentials. Remove it.")
        }
        guard let value = option.defaultValue else { continue }
        if option.isSecret {
          throw PluginFailure(
            .failed, "\(subject) is a secret, but everybody can read its default. Remove the default.")
        }
        guard option.allows(value) else {
          throw PluginFailure(.failed, "\(subject) has an invalid default: it must be \(option.allowed).")
        }
      }
    }
  }

  /// - Throws: `unsupported`, with the registered names.
  package func entry(_ kind: PluginProtocol, _ name: String) throws(PluginFailure) -> Entry {
    if let found = entries.first(where: { $0.kind == kind && $0.name == name }) { return found }
    let there = entries.map { "\($0.kind.words) \"\($0.name)\"" }.joined(separator: ", ")
    throw PluginFailure(
      .unsupported, "It has no \(kind.words) \"\(name)\". It registers: \(there.isEmpty ? "nothing" : there).")
  }
}

package enum PluginProtocol: String, Sendable, Hashable, CaseIterable {
  case storage
  case albumPolicy
  case cloudMapping

  /// The name for people.
  package var words: String {
    switch self {
    case .storage: "storage"
    case .albumPolicy: "album policy"
    case .cloudMapping: "cloud mapping"
    }
  }
}
