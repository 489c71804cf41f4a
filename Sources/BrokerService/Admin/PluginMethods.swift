import Broker
import BrokerInterface
import PhotoModel
import PluginCatalogue
import PluginHost
import PluginKit
import UnixSocket

/// A plugin runs with the broker's own rights, so only root and the broker's user install and
/// remove plugins. Administrators may disable them, which only narrows.
struct PluginMethods {
  let plugins: PluginService
  let uid: UInt32

  @MethodRows var methods: [Method] {
    Method(Admin.ListPlugins.self, .administration(listPlugins))
    Method(Admin.InstallPlugin.self, .administration(installPlugin))
    Method(Admin.SetPluginEnabled.self, .administration(setPluginEnabled))
    Method(Admin.RemovePlugin.self, .administration(removePlugin))
    Method(Admin.ReadPluginLog.self, .administration(readPluginLog))
  }

  private func listPlugins(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListPlugins.Parameters = try call.parameters()
    try checkRights(call, session, administratorsToo: true)
    let catalogue = plugins.catalogue
    try plugins.work {
      ListedPlugins(catalogue)
    } then: { listed in
      let chosen = listed.plugins.filter { parameters.name == nil || $0.name == parameters.name }
      guard parameters.name == nil || !chosen.isEmpty else {
        return call.fail(
          BrokerError.notFound("plugin", "There is no plugin of that name; list the plugins to see their names."))
      }
      call.reply(Admin.ListPlugins.Reply(plugins: chosen.map { plugins.info($0) }, problem: listed.problem))
    }
  }

  private struct ListedPlugins: Sendable {
    let plugins: [CataloguedPlugin]
    let problem: String?

    init(_ catalogue: PluginCatalogue) {
      plugins = catalogue.plugins()
      problem = catalogue.fault
    }
  }

  private func installPlugin(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.InstallPlugin.Parameters = try call.parameters()
    try checkRights(call, session)
    let form = try CallFailure.named(parameters.form, in: "form", by: \PluginForm.rawValue)
    var options: [LibraryName: [String: String]] = [:]
    for given in parameters.options ?? [] {
      guard let library = LibraryName(given.library), options.updateValue(given.options, forKey: library) == nil else {
        throw .invalid("options.library", "it names no library, or names one twice")
      }
    }
    guard parameters.descriptor == 0, let file = call.connection.takeDescriptor() else {
      throw .invalid("descriptor", "it is not 0, or no descriptor came with the call; pass the plugin's file")
    }
    try plugins.install(
      file, parameters.name, form,
      PluginService.Installation(
        session: session, upgrades: parameters.upgrade ?? false, isDevelopment: parameters.development ?? false,
        isPreview: parameters.preview ?? false, options: options),
      for: call)
  }

  private func setPluginEnabled(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.SetPluginEnabled.Parameters = try call.parameters()
    try checkRights(call, session, administratorsToo: !parameters.enabled)
    try plugins.setEnabled(parameters.name, parameters.enabled, for: call)
  }

  private func removePlugin(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.RemovePlugin.Parameters = try call.parameters()
    try checkRights(call, session)
    try plugins.remove(parameters.name, for: call)
  }

  private func readPluginLog(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ReadPluginLog.Parameters = try call.parameters()
    try checkRights(call, session)
    let limit = Int(parameters.limit ?? 100)
    let catalogue = plugins.catalogue
    let name = parameters.name
    try plugins.attempt { () throws(PluginFailure) in
      try catalogue.journal(ofPlugin: name)
    } then: { result in
      result.orFail(call) { journal in
        let newest = journal.newest(limit)
        call.reply(
          Admin.ReadPluginLog.Reply(entries: newest.entries.map { Admin.PluginLogEntry($0) }, dropped: newest.dropped))
      }
    }
  }

  static func mayListPlugins(_ session: AdminSession, broker uid: UInt32) -> Bool {
    session.uid == 0 || session.uid == uid || session.isAdministrator
  }

  private func checkRights(
    _ call: IncomingCall, _ session: AdminSession, administratorsToo: Bool = false
  ) throws(CallFailure) {
    guard session.uid != 0, session.uid != uid else { return }
    if administratorsToo, Self.mayListPlugins(session, broker: uid) { return }
    let who = administratorsToo ? "root, the broker's own user and administrators" : "root and the broker's own user"
    throw .notPermitted("Plugins run with the broker's rights, so this is for \(who) only. Use sudo.")
  }
}

extension Admin.PluginLogEntry {
  fileprivate init(_ entry: PluginJournal.Entry) {
    self.init(
      time: entry.time, process: entry.process == 0 ? nil : Int64(entry.process), kind: entry.kind.rawValue,
      text: entry.text)
  }
}
