import Broker
import BrokerInterface
import PhotoModel

extension AdminMethods {
  static let grants: [Method] = [
    Method(Admin.ListGrants.self, .administration(listGrants)),
    Method(Admin.SetGrant.self, .administration(setGrant)),
    Method(Admin.PauseGrant.self, .administration(pauseGrant)),
    Method(Admin.Revoke.self, .administration(revoke)),
  ]

  private static func listGrants(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListGrants.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let grants = try decide(session.grants(library: library, app: app))
    let page = try ListPage(
      grants, after: parameters.cursor,
      key: { "\($0.record.key.library) \($0.record.key.app) \($0.record.key.level.rawValue)" },
      { AdminRecords.grant($0, saysWords: app != nil) })
    call.reply(Admin.ListGrants.Reply(grants: page.items, cursor: page.cursor))
  }

  private static func setGrant(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.SetGrant.Parameters = try call.parameters()
    let settings = try AdminParameters.settings(
      status: parameters.status, expires: parameters.expires, albumPolicy: parameters.albumPolicy)
    let name = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let level = try LibraryMethods.level(parameters.level)
    _ = try decide(session.library(name))
    call.core.claimPolicies([name: Set([settings.albumPolicy].compactMap { $0 })]) { result in
      let claim: PluginClaim
      do throws(BrokerError) { claim = try result.get() } catch { return call.fail(error) }
      guard !call.isClosed else { return claim.release() }
      session.setGrant(library: name, app: app, level: level, settings) { result in
        claim.release()
        switch result {
        case .failure(let error): call.fail(error)
        case .success(let (grant, receipt)):
          call.reply(
            Admin.SetGrant.Reply(
              grant: AdminRecords.grant(grant), receipt: Admin.Receipt(receipt), decisions: receipt.entered))
        }
      }
    }
  }

  private static func pauseGrant(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.PauseGrant.Parameters = try call.parameters()
    let scope = RevocationScope(
      library: try AdminParameters.library(parameters.library), app: try AdminParameters.app(parameters.app),
      uid: parameters.uid.map { UInt32(clamping: $0) },
      level: try AdminParameters.level(parameters.level), everything: parameters.everything ?? false)
    session.pause(scope, paused: parameters.paused) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let receipt):
        call.reply(Admin.PauseGrant.Reply(receipt: Admin.Receipt(receipt), decisions: receipt.entered))
      }
    }
  }

  private static func revoke(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.Revoke.Parameters = try call.parameters()
    let answer: (Result<RightsReceipt, BrokerError>) -> Void = { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let receipt):
        call.reply(Admin.Revoke.Reply(receipt: Admin.Receipt(receipt), decisions: receipt.entered))
      }
    }
    if let text = parameters.accessor {
      guard parameters.library == nil, parameters.app == nil, parameters.uid == nil, parameters.level == nil else {
        throw .broker(
          BrokerError(.refused, .accessorAlone, "A token is revoked by its accessor alone; leave the other fields out.")
        )
      }
      guard let accessor = Accessor(text) else {
        throw .broker(.notFound("token", "No such token is known to you; list the tokens to see their accessors."))
      }
      return session.revoke(token: accessor, completion: answer)
    }
    session.revoke(
      RevocationScope(
        library: try AdminParameters.library(parameters.library), app: try AdminParameters.app(parameters.app),
        uid: parameters.uid.map { UInt32(clamping: $0) },
        level: try AdminParameters.level(parameters.level), everything: parameters.everything ?? false),
      completion: answer)
  }
}
