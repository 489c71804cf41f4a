import Broker
import BrokerInterface
import PhotoModel

extension AdminMethods {
  static let tokens: [Method] = [
    Method(Admin.MintToken.name, .administration(mintToken)),
    Method(Admin.ListTokens.name, .administration(listTokens)),
  ]
  static let records: [Method] = [
    Method(Admin.ReadLedger.name, .administration(readLedger)),
    Method(Admin.ListDecisions.name, .administration(listDecisions)),
  ]

  private static func mintToken(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.MintToken.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let level = try LibraryMethods.level(parameters.level)
    let minted = try decide { () throws(BrokerError) in try session.mintToken(library: library, app: app, level: level) }
    call.reply(Admin.MintToken.Reply(token: minted.token, accessor: minted.accessor.description))
  }

  private static func listTokens(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListTokens.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let tokens = try decide { () throws(BrokerError) in try session.tokens(library: library, app: app) }
    call.reply(
      Admin.ListTokens.Reply(
        tokens: tokens.map {
          Admin.TokenInfo(
            accessor: $0.accessor.description, library: $0.grant?.library.description, app: $0.app.description,
            level: $0.grant?.level.rawValue, minted: $0.minted.microseconds, revoked: $0.isRevoked)
        }))
  }

  private static func readLedger(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ReadLedger.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.library)
    _ = try decide { () throws(BrokerError) in try session.ownedLibrary(name) }
    let app = try AdminParameters.app(parameters.app)
    let asset = try parameters.asset.map { text throws(CallFailure) in try AdminParameters.asset(text) }
    let limit = try AdminParameters.limit(parameters.limit)
    let box = Box(call)
    call.core.store.ledger(of: name, app: app, asset: asset, limit: limit) { result in
      let call = box.value
      switch result {
      case .failure(let failure): call.fail(BrokerError(.failed, failure.message))
      case .success(let entries):
        call.reply(
          Admin.ReadLedger.Reply(
            entries: entries.map { entry in
              Admin.LedgerEntry(
                time: entry.time.microseconds, app: entry.app.description,
                identifier: call.core.broker.app(entry.app)?.record.manifest.identifier ?? "",
                accessor: entry.accessor.description, asset: entry.asset.description, rendition: entry.rendition,
                bytes: entry.bytes, gap: entry.isGap)
            }))
      }
    }
  }

  private static func listDecisions(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListDecisions.Parameters = try call.parameters()
    let limit = try AdminParameters.limit(parameters.limit)
    session.decisions(library: try AdminParameters.library(parameters.library), limit: limit) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let decisions):
        call.reply(
          Admin.ListDecisions.Reply(
            decisions: decisions.map { number, decision in
              Admin.DecisionInfo(
                decision: Int64(clamping: number), time: decision.time.microseconds, actor: Int64(decision.actor),
                role: decision.role.rawValue, origin: decision.origin, action: decision.action,
                library: decision.key.library.description, app: decision.key.app.description,
                level: decision.key.level.rawValue, before: decision.before, after: decision.after)
            }))
      }
    }
  }
}
