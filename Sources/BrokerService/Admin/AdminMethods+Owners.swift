import Broker
import BrokerInterface

extension AdminMethods {
  static let owners: [Method] = [
    Method(Admin.DelegateLibrary.self, .administration(delegateLibrary)),
    Method(Admin.ShareOriginals.self, .administration(shareOriginals)),
    Method(Admin.AllowDeletions.self, .administration(allowDeletions)),
    Method(Admin.ListAdministrators.self, .administration(listAdministrators)),
    Method(Admin.SetAdministrators.self, .administration(setAdministrators)),
  ]

  private static func delegateLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.DelegateLibrary.Parameters = try call.parameters()
    var delegation = Delegation(
      administratorsSee: parameters.administratorsSee, administratorsDecide: parameters.administratorsDecide)
    if let users = parameters.coOwners { delegation.coOwners = AdminParameters.uids(users) }
    session.delegate(try AdminParameters.library(parameters.name), delegation) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let library):
        call.reply(Admin.DelegateLibrary.Reply(library: AdminRecords.info(call.core.runtime(library), for: session)))
      }
    }
  }

  private static func shareOriginals(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ShareOriginals.Parameters = try call.parameters()
    session.shareOriginals(try AdminParameters.library(parameters.name), parameters.share) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let library):
        call.reply(Admin.ShareOriginals.Reply(library: AdminRecords.info(call.core.runtime(library), for: session)))
      }
    }
  }

  private static func allowDeletions(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AllowDeletions.Parameters = try call.parameters()
    session.allowDeletions(try AdminParameters.library(parameters.name), parameters.allow) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let library):
        call.reply(Admin.AllowDeletions.Reply(library: AdminRecords.info(call.core.runtime(library), for: session)))
      }
    }
  }

  private static func listAdministrators(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let _: Admin.ListAdministrators.Parameters = try call.parameters()
    let (named, all) = try decide(session.administrators())
    call.reply(
      Admin.ListAdministrators.Reply(
        named: named.sorted().map { Int64($0) }, administrators: all.union([0]).sorted().map { Int64($0) }))
  }

  private static func setAdministrators(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.SetAdministrators.Parameters = try call.parameters()
    session.setAdministrators(AdminParameters.uids(parameters.administrators)) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success: call.reply(Admin.SetAdministrators.Reply())
      }
    }
  }
}
