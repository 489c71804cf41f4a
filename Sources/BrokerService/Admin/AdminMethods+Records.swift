import Broker
import BrokerInterface
import Catalogue
import PhotoModel

extension AdminMethods {
  static let tokens: [Method] = [
    Method(Admin.MintToken.self, .administration(mintToken)),
    Method(Admin.ListTokens.self, .administration(listTokens)),
  ]
  static let records: [Method] = [
    Method(Admin.ReadLedger.self, .administration(readLedger)),
    Method(Admin.ListDecisions.self, .administration(listDecisions)),
    Method(Admin.UndoDecision.self, .administration(undoDecision)),
  ]

  private static func mintToken(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.MintToken.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let level = try LibraryMethods.level(parameters.level)
    session.mintToken(library: library, app: app, level: level) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let minted):
        call.reply(Admin.MintToken.Reply(token: minted.text, accessor: minted.accessor.description))
      }
    }
  }

  private static func listTokens(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListTokens.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.library)
    let app = try AdminParameters.app(parameters.app)
    let tokens = try decide(session.tokens(library: library, app: app))
    let page = try ListPage(
      tokens, after: parameters.cursor, key: { "\(String.key($0.minted.microseconds)) \($0.accessor)" }
    ) {
      Admin.TokenInfo(
        accessor: $0.accessor.description, library: $0.grant?.library.description, app: $0.app.description,
        level: $0.grant?.level.rawValue, minted: $0.minted.microseconds, revoked: $0.isRevoked,
        resting: session.isResting($0))
    }
    call.reply(Admin.ListTokens.Reply(tokens: page.items, cursor: page.cursor))
  }

  private static func readLedger(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ReadLedger.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.library)
    let library = try decide(session.seenLibrary(name))
    let query = LedgerQuery(
      apps: try apps(parameters.app, claiming: parameters.identifier, call),
      asset: try parameters.asset.map { text throws(CallFailure) in try AdminParameters.asset(text) },
      since: parameters.since.map { Timestamp(microseconds: $0) },
      before: try AdminParameters.cursor(parameters.cursor),
      limit: Int(parameters.limit ?? 100))
    let carried = Box<(Result<LedgerPage, StoreFailure>) -> Void> { result in
      switch result {
      case .failure(let failure): call.fail(BrokerError(.failed, .notRead, failure.message))
      case .success(let page):
        // The caller's rights may have ended meanwhile.
        guard session.sees(library) else { return call.fail(AdminParameters.noLibrary()) }
        call.reply(
          Admin.ReadLedger.Reply(
            entries: page.records.map { entry in
              Admin.LedgerEntry(
                time: entry.time.microseconds, app: entry.app.description,
                identifier: claimed(by: entry.app, call) ?? "",
                accessor: entry.accessor.description, asset: entry.asset.description, rendition: entry.rendition,
                bytes: entry.bytes, gap: entry.isGap, removed: call.core.broker.app(entry.app) == nil && !entry.isGap,
                filename: filename(of: entry.asset, in: library))
            }, cursor: page.next.map { String($0) }, trimmed: page.wasTrimmed))
      }
    }
    call.core.store.ledger(of: name, query) { carried.value($0) }
  }

  /// Nil: all apps.
  static func apps(_ app: String?, claiming claimed: String?, _ call: IncomingCall) throws(CallFailure) -> Set<
    AppIdentifier
  >? {
    let named = try AdminParameters.app(app).map { Set([$0]) }
    guard let claimed else { return named }
    let claiming = call.core.broker.apps(claiming: claimed)
    return named.map { $0.intersection(claiming) } ?? claiming
  }

  private static func filename(of asset: AssetIdentifier, in library: LibraryState) -> String? {
    library.catalogue.position(of: asset).map { library.catalogue.row($0).fileName }
  }

  /// The identifier in the manifest of an app, or of a removed app.
  private static func claimed(by app: AppIdentifier, _ call: IncomingCall) -> String? {
    call.core.broker.app(app)?.record.manifest.identifier ?? call.core.broker.formerApp(app)?.claimed
  }

  private static func listDecisions(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.ListDecisions.Parameters = try call.parameters()
    let before = try AdminParameters.cursor(parameters.cursor)
    let query = DecisionQuery(
      apps: try apps(parameters.app, claiming: parameters.identifier, call),
      since: parameters.since.map { Timestamp(microseconds: $0) },
      before: before.map { UInt64(clamping: $0) }, limit: Int(parameters.limit ?? 100))
    session.decisions(library: try AdminParameters.library(parameters.library), query) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let page):
        let decisions = page.entries.map { entry in
          // A person who decides for a library without seeing its photos gets no title, folder or
          // date.
          let library = entry.record.library.flatMap { call.core.broker.libraries[$0] }
          return AdminRecords.decision(
            entry, identifier: entry.record.app.flatMap { claimed(by: $0, call) },
            isUndoable: session.mayUndo(entry),
            wasRemoved: entry.record.app.map { call.core.broker.app($0) == nil },
            showsSubject: library.map { session.sees($0) } ?? false)
        }
        let fitting = ListPage.fitting(decisions)
        let next = fitting < decisions.count ? UInt64(clamping: decisions[fitting - 1].decision) : page.next
        call.reply(
          Admin.ListDecisions.Reply(decisions: Array(decisions.prefix(fitting)), cursor: next.map { String($0) }))
      }
    }
  }

  private static func undoDecision(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.UndoDecision.Parameters = try call.parameters()
    let number = UInt64(clamping: parameters.decision)
    session.policies(settingBack: number) { policies in
      call.core.claimPolicies(policies.chosen, asks: false) { result in
        var claim: PluginClaim?
        do throws(BrokerError) { claim = try result.get() } catch {
          guard policies.canBeLeft else { return call.fail(error) }
        }
        guard !call.isClosed else {
          claim?.release()
          return
        }
        let held = claim
        session.undo(number, leavesPolicy: held == nil) { result in
          held?.release()
          switch result {
          case .failure(let error): call.fail(error)
          case .success(let outcome): tell(outcome, call)
          }
        }
      }
    }
  }

  private static func tell(_ outcome: UndoOutcome, _ call: IncomingCall) {
    let reply = {
      call.reply(
        Admin.UndoDecision.Reply(
          grant: outcome.grant.map { AdminRecords.grant($0) }, receipt: Admin.Receipt(outcome.receipt),
          decisions: outcome.receipt.entered))
    }
    if let name = outcome.removedLibrary { call.core.forgetLibrary(name) }
    guard let library = outcome.albums.isEmpty ? nil : outcome.library.flatMap({ call.core.broker.libraries[$0] })
    else {
      return reply()
    }
    call.core.albumsChanged(in: library, outcome.albums, reply)
  }
}
