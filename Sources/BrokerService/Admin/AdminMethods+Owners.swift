import Broker
import BrokerInterface
import Varlink

extension AdminMethods {
  static let owners: [Method] = [
    Method(Admin.DelegateLibrary.self, .administration(delegateLibrary)),
    Method(Admin.ShareOriginals.self, .administration(shareOriginals)),
    Method(Admin.AllowDeletions.self, .administration(allowDeletions)),
    Method(Admin.SetDefaultTerms.self, .administration(setDefaultTerms)),
    Method(Admin.ListAdministrators.self, .administration(listAdministrators)),
    Method(Admin.SetAdministrators.self, .administration(setAdministrators)),
  ]

  private static func delegateLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.DelegateLibrary.Parameters = try call.parameters()
    let coOwners = parameters.coOwners.map(AdminParameters.uids)
    let joining = AdminParameters.uids(parameters.add ?? [])
    let leaving = AdminParameters.uids(parameters.remove ?? [])
    try change(.delegation, in: parameters.name, call, session, Admin.DelegateLibrary.Reply.init) {
      $0.coOwners = (coOwners ?? $0.coOwners).union(joining).subtracting(leaving)
      $0.administratorsSee = parameters.administratorsSee ?? $0.administratorsSee
      $0.administratorsDecide = parameters.administratorsDecide ?? $0.administratorsDecide
    }
  }

  private static func shareOriginals(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ShareOriginals.Parameters = try call.parameters()
    try change(.originals, in: parameters.name, call, session, Admin.ShareOriginals.Reply.init) {
      $0.sharesOriginals = parameters.share
    }
  }

  private static func allowDeletions(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AllowDeletions.Parameters = try call.parameters()
    try change(.deletions, in: parameters.name, call, session, Admin.AllowDeletions.Reply.init) {
      $0.appsDelete = parameters.allow
    }
  }

  private static func setDefaultTerms(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.SetDefaultTerms.Parameters = try call.parameters()
    let terms = try AdminParameters.terms(parameters.terms)
    try change(.terms, in: parameters.name, call, session, Admin.SetDefaultTerms.Reply.init) {
      if parameters.standard ?? false { $0.defaultTerms = .standard }
      terms.apply(to: &$0.defaultTerms)
    }
  }

  private static func change(
    _ aspect: LibraryAspect, in name: String, _ call: IncomingCall, _ session: AdminSession,
    _ reply: @escaping (Admin.LibraryInfo, [Int64]) -> some VarlinkEncodable,
    _ change: @escaping (inout LibraryRights) -> Void
  ) throws(CallFailure) {
    session.rights.decide(
      aspect, in: try AdminParameters.library(name), change,
      completion: call.replying {
        reply(AdminRecords.info(call.core.runtimes[$0.library], for: session), $0.receipt.entered)
      })
  }

  private static func listAdministrators(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let _: Admin.ListAdministrators.Parameters = try call.parameters()
    let (named, all) = try decide(session.administrators.list())
    call.reply(
      Admin.ListAdministrators.Reply(
        named: named.sorted().map { Int64($0) }, administrators: all.union([0]).sorted().map { Int64($0) }))
  }

  private static func setAdministrators(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.SetAdministrators.Parameters = try call.parameters()
    session.administrators.set(
      AdminParameters.uids(parameters.administrators),
      completion: call.replying { _ in Admin.SetAdministrators.Reply() })
  }
}
