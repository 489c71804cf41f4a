package import PluginKit

/// What a plugin said of itself in its handshake, checked.
package struct PluginDescription: Sendable, Equatable {
  /// What one plugin is, under one name.
  package struct Entry: Sendable, Equatable {
    package var kind: PluginProtocol
    package var name: String
    /// In a sentence, for people.
    package var summary: String
    package var options: [PluginOption]
    /// What a storage may be asked for; what this broker does not know is left out.
    package var capabilities: Set<StorageCapability>
  }

  /// The kit version that it was built with.
  package var kit: Int
  /// Kit and compiler of a shared object, in words. Nil: a program of another language.
  package var built: String?
  /// By protocol and name.
  package var entries: [Entry]

  /// The handshake of a shared object that is loaded here.
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

  /// What is told of a plugin that has none: it cannot be installed.
  package static let missing = PluginFailure(
    .unsupported,
    "It does not say what it is: a plugin answers Describe of io.photobroker.Plugin, with what it registers.")

  /// - Throws: `unsupported` where the plugin and this broker do not understand each other, with what to do.
  package func checkKit() throws(PluginFailure) {
    guard kit != PluginKitVersion.current else { return }
    let words = built.map { " (\($0))" } ?? ""
    throw PluginFailure(
      .unsupported,
      "It was built with kit \(kit)\(words), and this broker has kit \(PluginKitVersion.current) "
        + "(\(PluginKitVersion.built)): build it again with this broker's kit, or get the release of it that is for this broker."
    )
  }

  /// What a host cannot know to be wrong before it asks: defaults, and secrets of what has no credentials.
  /// - Throws: `failed`, naming the option and what is allowed.
  package func checkOptions() throws(PluginFailure) {
    for entry in entries {
      for option in entry.options {
        let subject = "The option \"\(option.name)\" of the \(entry.kind.words) \"\(entry.name)\""
        // A library's credentials are its storage's: elsewhere a secret could only be given as an
        // option that everybody is shown.
        guard !option.isSecret || entry.kind == .storage else {
          throw PluginFailure(.failed, "\(subject) is a secret, and only storages have credentials: do without.")
        }
        guard let value = option.defaultValue else { continue }
        if option.isSecret {
          throw PluginFailure(.failed, "\(subject) is a secret and has a default, which everybody can read.")
        }
        guard option.allows(value) else {
          throw PluginFailure(.failed, "\(subject) has a default that it does not allow: it must be \(option.allowed).")
        }
      }
    }
  }

  /// - Throws: `unsupported`, with what there is instead.
  package func entry(_ kind: PluginProtocol, _ name: String) throws(PluginFailure) -> Entry {
    if let found = entries.first(where: { $0.kind == kind && $0.name == name }) { return found }
    let there = entries.map { "\($0.kind.words) \"\($0.name)\"" }.joined(separator: ", ")
    throw PluginFailure(
      .unsupported, "It has no \(kind.words) \"\(name)\"; it has: \(there.isEmpty ? "nothing" : there).")
  }
}

/// The three protocols.
package enum PluginProtocol: String, Sendable, Hashable, CaseIterable {
  case storage
  case albumPolicy
  case cloudMapping

  /// For people.
  package var words: String {
    switch self {
    case .storage: "storage"
    case .albumPolicy: "album policy"
    case .cloudMapping: "cloud mapping"
    }
  }
}
