import BrokerInterface

/// Plugins: what storages, album policies and cloud mappings there are.
enum PluginCommands {
  static let group = Command("plugin", "Install plugins and look after them", commands: [list])

  static let list = Command("list", "List plugins") { invocation throws(CommandError) in
    try invocation.report(invocation.call(Admin.ListPlugins.self, .init())) { reply in
      var table = Table("NAME", "ORIGIN", "STATE", "OFFERS", "USED BY", "PROBLEM")
      for plugin in reply.plugins {
        table.add(
          plugin.name, plugin.origin, plugin.state, plugin.offers.map(offer).joined(separator: ", "),
          plugin.usedBy.joined(separator: ", "), plugin.problem ?? "")
      }
      invocation.print(table, whenEmpty: "No plugin at all; look at the folders that photobrokerd's --plugins names.")
      if let problem = reply.problem { invocation.warn(problem) }
    }
  }

  /// An offer as it is named in the list: `storage rclone`.
  static func offer(_ offer: Admin.PluginOffer) -> String {
    let word = ["albumPolicy": "album policy", "cloudMapping": "cloud mapping"][offer.protocol] ?? offer.protocol
    return "\(word) \(offer.name)"
  }
}
