import Broker
import BrokerInterface
import PhotoModel

/// Grants: their list, settings, pauses and revocation.
struct GrantMethods {
  let trials: PluginTrials

  @MethodRows var methods: [Method] {
    Method(Admin.ListGrants.self, .administration(listGrants))
    Method(Admin.SetGrant.self, .administration(setGrant))
    Method(Admin.PauseGrant.self, .administration(pauseGrant))
    Method(Admin.Revoke.self, .administration(revoke))
  }

  private func listGrants(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListGrants.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let grants = try decide(session.grants.list(library: library, app: app))
    let page = try ListPage(
      grants, after: parameters.cursor,
      key: { "\($0.record.key.library) \($0.record.key.app) \($0.record.key.level.rawValue)" },
      { AdminRecords.grant($0, saysWords: app != nil) })
    call.reply(Admin.ListGrants.Reply(grants: page.items, cursor: page.cursor))
  }

  private func setGrant(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.SetGrant.Parameters = try call.parameters()
    let settings = try AdminParameters.settings(
      status: parameters.status, expires: parameters.expires, albumPolicy: parameters.albumPolicy,
      terms: parameters.terms)
    let name = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let level = try LibraryMethods.level(parameters.level)
    _ = try decide(session.library(name))
    trials.claimPolicies([name: Set([settings.albumPolicy].compactMap { $0 })]) { result in
      let claim: PluginClaim
      do throws(BrokerError) { claim = try result.get() } catch { return call.fail(error) }
      guard !call.isClosed else { return claim.release() }
      let answer = call.replying { (grant: (GrantView, RightsReceipt)) in
        Admin.SetGrant.Reply(
          grant: AdminRecords.grant(grant.0), receipt: Admin.Receipt(grant.1), decisions: grant.1.entered)
      }
      session.grants.set(library: name, app: app, level: level, settings) {
        claim.release()
        answer($0)
      }
    }
  }

  private func pauseGrant(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.PauseGrant.Parameters = try call.parameters()
    let scope = try RevocationScope(
      parameters.library, parameters.app, parameters.uid, parameters.level, parameters.everything)
    let answer = call.replying { (receipt: RightsReceipt) in
      Admin.PauseGrant.Reply(receipt: Admin.Receipt(receipt), decisions: receipt.entered)
    }
    session.grants.pause(scope, paused: parameters.paused, completion: answer)
  }

  private func revoke(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.Revoke.Parameters = try call.parameters()
    let answer = call.replying { (receipt: RightsReceipt) in
      Admin.Revoke.Reply(receipt: Admin.Receipt(receipt), decisions: receipt.entered)
    }
    if let text = parameters.accessor {
      guard parameters.library == nil, parameters.app == nil, parameters.uid == nil, parameters.level == nil else {
        throw .refused(.accessorAlone, "A token is revoked by its accessor alone; leave the other fields out.")
      }
      guard let accessor = Accessor(text) else {
        throw .notFound("token", "No such token is known to you; list the tokens to see their accessors.")
      }
      return session.tokens.revoke(accessor, completion: answer)
    }
    let scope = try RevocationScope(
      parameters.library, parameters.app, parameters.uid, parameters.level, parameters.everything)
    session.grants.revoke(scope, completion: answer)
  }
}

extension RevocationScope {
  fileprivate init(
    _ library: String?, _ app: String?, _ uid: Int64?, _ level: String?, _ everything: Bool?
  ) throws(CallFailure) {
    self.init(
      library: try AdminParameters.library(library), app: try AdminParameters.app(app),
      uid: uid.map { UInt32(clamping: $0) }, level: try AdminParameters.level(level), everything: everything ?? false)
  }
}
