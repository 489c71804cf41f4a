import Broker
import BrokerInterface
import PhotoModel

extension AdminMethods {
  static let apps: [Method] = [
    Method(Admin.AddApp.self, .administration(addApp)),
    Method(Admin.ListApps.self, .administration(listApps)),
    Method(Admin.RemoveApp.self, .administration(removeApp)),
  ]

  private static func addApp(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AddApp.Parameters = try call.parameters()
    session.addApp(try ManifestReader.read(parameters.manifest), user: parameters.uid.map { UInt32(clamping: $0) }) {
      result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let answer):
        call.reply(
          Admin.AddApp.Reply(
            app: AdminRecords.app(answer.app.record, connections: 0, for: session), token: answer.token))
      }
    }
  }

  private static func listApps(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListApps.Parameters = try call.parameters()
    let page = try ListPage(
      session.apps, after: parameters.cursor, key: { "\($0.record.manifest.identifier) \($0.identifier)" }
    ) {
      AdminRecords.app($0.record, connections: session.connections(of: $0), for: session)
    }
    call.reply(Admin.ListApps.Reply(apps: page.items, cursor: page.cursor))
  }

  private static func removeApp(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.RemoveApp.Parameters = try call.parameters()
    session.removeApp(try AdminParameters.app(parameters.app)) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let receipt): call.reply(Admin.RemoveApp.Reply(receipt: Admin.Receipt(receipt)))
      }
    }
  }
}
