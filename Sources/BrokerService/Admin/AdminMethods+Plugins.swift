import Broker
import BrokerInterface
import PluginCatalogue

/// A plugin runs with the broker's own rights, so only root and the broker's user may say which ones there are.
extension AdminMethods {
  static let plugins: [Method] = [
    Method(Admin.ListPlugins.name, .administration(listPlugins))
  ]

  private static func listPlugins(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListPlugins.Parameters = try call.parameters()
    guard session.isAdministrator || session.uid == call.core.uid else {
      throw .broker(BrokerError(.notPermitted, "Only root, the broker's own user and administrators may see the plugins. Use sudo."))
    }
    let service = call.core.plugins
    let catalogue = service.catalogue
    try service.work(for: call) { catalogue.plugins() } then: { plugins in
      let chosen = parameters.name.map { name in plugins.filter { $0.name == name } } ?? plugins
      call.reply(Admin.ListPlugins.Reply(plugins: chosen.map { service.info($0) }))
    }
  }
}
