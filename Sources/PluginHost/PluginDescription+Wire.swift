package import BrokerInterface
import PluginKit

extension PluginDescription {
  /// Maximum number of registrations of a plugin, and of options of a registration.
  private static let listLimit = 64

  /// Checks a description from the wire.
  /// - Throws: `failed` if it breaks the protocol's limits.
  package init(checking reply: Plugin.Describe.Reply) throws(PluginFailure) {
    guard reply.plugins.count <= Self.listLimit else {
      throw Self.refusal("it registers more than \(Self.listLimit) names")
    }
    var entries: [Entry] = []
    for plugin in reply.plugins {
      guard let kind = PluginProtocol(rawValue: plugin.protocol) else {
        throw PluginFailure(
          .unsupported, "There is no protocol \"\(IsolatedPlugin.plain(String(plugin.protocol.prefix(64))))\".")
      }
      guard PluginFinder.isName(plugin.name) else {
        throw Self.refusal("a name has characters other than a-z, 0-9 and hyphen")
      }
      guard !entries.contains(where: { $0.kind == kind && $0.name == plugin.name }) else {
        throw Self.refusal("it registers \(kind.words) \"\(plugin.name)\" twice")
      }
      guard plugin.options.count <= Self.listLimit else {
        throw Self.refusal("it has more than \(Self.listLimit) options")
      }
      var options: [PluginOption] = []
      for option in plugin.options {
        let option = try PluginOption(checking: option, of: plugin.name)
        guard !options.contains(where: { $0.name == option.name }) else {
          throw Self.refusal("\"\(plugin.name)\" has the option \"\(option.name)\" twice")
        }
        options.append(option)
      }
      entries.append(
        Entry(
          kind: kind, name: plugin.name, summary: IsolatedPlugin.plain(plugin.summary), options: options,
          capabilities: plugin.capabilities.map { Set($0.compactMap { StorageCapability(rawValue: $0) }) }
            ?? StorageCapability.usual))
    }
    self.init(
      kit: Int(clamping: reply.kit), built: reply.built.map { IsolatedPlugin.plain(String($0.prefix(80))) },
      entries: entries)
  }

  fileprivate static func refusal(_ reason: String) -> PluginFailure {
    PluginFailure(.failed, "Its handshake is refused: \(reason).")
  }

  /// The form for the wire, and for the catalogue of installed plugins.
  package var reply: Plugin.Describe.Reply {
    Plugin.Describe.Reply(
      kit: Int64(kit), built: built,
      plugins: entries.map {
        Plugin.Registration(
          protocol: $0.kind.rawValue, name: $0.name, summary: $0.summary, options: $0.options.map { Plugin.Option($0) },
          capabilities: $0.kind == .storage ? $0.capabilities.map(\.rawValue).sorted() : nil)
      })
  }
}

extension Plugin.Option {
  fileprivate init(_ option: PluginOption) {
    self.init(
      name: option.name, type: "text", unit: option.unit, default: option.defaultValue, optional: option.isOptional,
      secret: option.isSecret, summary: option.summary)
    switch option.kind {
    case .text: break
    case .path: type = "path"
    case .flag: type = "flag"
    case .integer(let range): (type, minimum, maximum) = ("integer", Int64(range.lowerBound), Int64(range.upperBound))
    case .choice(let words): (type, allowed) = ("choice", words)
    }
  }
}

extension PluginOption {
  /// - Throws: `failed` if the option breaks the protocol's limits, with its name and the problem.
  fileprivate init(checking option: Plugin.Option, of plugin: String) throws(PluginFailure) {
    let isName =
      (1...64).contains(option.name.utf8.count)
      && option.name.utf8.allSatisfy { (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x2d }
    guard isName else {
      throw PluginDescription.refusal(
        "an option of \"\(plugin)\" has a name that is not 1 to 64 letters, digits and hyphens")
    }
    func refusal(_ reason: String) -> PluginFailure {
      PluginDescription.refusal("the option \"\(option.name)\" of \"\(plugin)\" is invalid: \(reason)")
    }
    guard (option.default ?? "").utf8.count <= 4_096, (option.unit ?? "").utf8.count <= 64 else {
      throw refusal("its default is longer than 4,096 bytes, or its unit than 64")
    }
    let kind: Kind
    switch option.type {
    case "path": kind = .path
    case "flag": kind = .flag
    case "integer":
      guard let low = option.minimum, let high = option.maximum, low <= high else {
        throw refusal("an integer has a minimum, and a maximum that is not below it")
      }
      kind = .integer(Int(low)...Int(high))
    case "choice":
      guard let words = option.allowed, (1...64).contains(words.count), words.allSatisfy({ $0.utf8.count <= 256 })
      else {
        throw refusal("a choice has 1 to 64 words of up to 256 bytes in \"allowed\"")
      }
      kind = .choice(words.map { IsolatedPlugin.plain($0) })
    default: kind = .text
    }
    self.init(
      option.name, kind, unit: option.unit.map { IsolatedPlugin.plain($0) }, default: option.default,
      optional: option.optional,
      secret: option.secret, summary: IsolatedPlugin.plain(option.summary))
  }
}
