import Broker
import BrokerInterface
import PhotoModel

/// Apps that owners add and remove.
struct AppMethods {
  @MethodRows var methods: [Method] {
    Method(Admin.AddApp.self, .administration(addApp))
    Method(Admin.ListApps.self, .administration(listApps))
    Method(Admin.RemoveApp.self, .administration(removeApp))
  }

  private func addApp(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AddApp.Parameters = try call.parameters()
    let manifest = try ManifestReader.read(parameters.manifest)
    let answer = call.replying { (added: Introduction) in
      Admin.AddApp.Reply(app: AdminRecords.app(added.app.record, connections: 0, for: session), token: added.token)
    }
    session.apps.add(manifest, user: parameters.uid.map { UInt32(clamping: $0) }, completion: answer)
  }

  private func listApps(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListApps.Parameters = try call.parameters()
    let page = try ListPage(
      session.apps.list, after: parameters.cursor, key: { "\($0.record.manifest.identifier) \($0.identifier)" }
    ) {
      AdminRecords.app($0.record, connections: session.apps.connections(of: $0), for: session)
    }
    call.reply(Admin.ListApps.Reply(apps: page.items, cursor: page.cursor))
  }

  private func removeApp(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.RemoveApp.Parameters = try call.parameters()
    let answer = call.replying { (receipt: RightsReceipt) in Admin.RemoveApp.Reply(receipt: Admin.Receipt(receipt)) }
    session.apps.remove(try AdminParameters.app(parameters.app), completion: answer)
  }
}
