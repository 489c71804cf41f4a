import Accounts
import BrokerInterface

/// Lists whose names complete a command line. All but `users` come from the broker.
enum BrokerList: Sendable {
  case administrators, albumPolicies, albums, apps, cloudMappings, deletions, libraries, methods, offers, pickers
  case plugins, requests, rules, storages, tokens, users

  /// The names, fetched by calls that change nothing.
  ///
  /// - Parameter typed: the beginning of the name.
  /// - Throws: as `Invocation.call`.
  func names(_ typed: String, _ invocation: Invocation) throws(CommandError) -> [String] {
    switch self {
    case .administrators:
      let named = try invocation.call(Admin.ListAdministrators.self, .init()).value.named
      return named.map { user in UInt32(exactly: user).flatMap(AccountNames.name) ?? "\(user)" }
    case .albumPolicies: return try offers("albumPolicy", invocation)
    case .albums:
      return Self.both(try invocation.albums(of: invocation.arguments[.library]).map { ($0.title, $0.album) }, typed)
    case .apps: return Self.both(try invocation.apps().map { ($0.identifier, $0.app) }, typed)
    case .cloudMappings: return try offers("cloudMapping", invocation)
    case .deletions: return try invocation.callForAll(Admin.ListDeletions.self, .init()).value.deletions.map(\.deletion)
    case .libraries: return try invocation.callForAll(Admin.ListLibraries.self, .init()).value.libraries.map(\.name)
    case .methods: return try methods(invocation)
    case .offers: return try invocation.callForAll(Admin.ListOffers.self, .init()).value.offers.map(\.library)
    case .pickers: return try invocation.callForAll(Admin.ListPickers.self, .init()).value.pickers.map(\.picker)
    case .plugins: return try invocation.call(Admin.ListPlugins.self, .init()).value.plugins.map(\.name)
    case .requests: return try invocation.callForAll(Admin.ListPrompts.self, .init()).value.prompts.map(\.prompt)
    case .rules:
      let library = Admin.ListRules.Parameters(library: invocation.arguments[.library])
      return try invocation.callForAll(Admin.ListRules.self, library).value.rules.map(\.name)
    case .storages: return try offers("storage", invocation)
    case .tokens:
      let tokens = try invocation.callForAll(Admin.ListTokens.self, .init()).value.tokens
      return tokens.filter { !$0.revoked }.map(\.accessor)
    case .users: return AccountNames.ofPeople()
    }
  }

  /// Names that people read, and identifiers of things without such a name of their own, or that were begun.
  private static func both(_ items: [(name: String, identifier: String)], _ typed: String) -> [String] {
    let alike = Dictionary(grouping: items, by: \.name)
    return items.flatMap { item in
      // A line break would make two candidates of one, and a dash an option.
      let isName =
        alike[item.name]?.count == 1 && ShownText.escaped(item.name) == item.name && !item.name.hasPrefix("-")
      return (isName ? [item.name] : []) + (isName && typed.isEmpty ? [] : [item.identifier])
    }
  }

  private func offers(_ kind: String, _ invocation: Invocation) throws(CommandError) -> [String] {
    let plugins = try invocation.call(Admin.ListPlugins.self, .init()).value.plugins
    return plugins.flatMap(\.offers).filter { $0.protocol == kind }.map(\.name)
  }

  /// The qualified names of the socket's methods.
  private func methods(_ invocation: Invocation) throws(CommandError) -> [String] {
    let client = try CallCommand.client(invocation)
    var names: [String] = []
    let start = "method ".utf8
    for interface in try client.call(VarlinkService.GetInfo.self, .init()).value.interfaces {
      let description = try client.call(VarlinkService.GetInterfaceDescription.self, .init(interface: interface)).value
      for line in description.description.utf8.split(separator: UInt8(ascii: "\n")) where line.starts(with: start) {
        let name = line.dropFirst(start.count).prefix { $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: " ") }
        names.append("\(interface).\(Substring(name))")
      }
    }
    return names
  }
}
